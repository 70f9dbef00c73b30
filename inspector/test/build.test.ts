import assert from "node:assert/strict";
import { globSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findPageViolations } from "../../scripts/boundaries.ts";
import { buildPageOfCheckout } from "../../src/server/page/build-page.ts";
import { pageFiles } from "../../src/server/page/page.ts";

const root = join(import.meta.dirname, "../..");

test("the first load is under 150 kB compressed, from this server alone, without inline script or style [inspector.small]", async () => {
  const files = await pageFiles();
  const html = files.get("/")?.body.toString("utf8") ?? "";
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  assert.ok(named.includes("/inspector.js") && named.includes("/inspector.css"), html);
  const parts = ["/", ...new Set(named)].map((path) => {
    const file = files.get(path);
    assert.ok(file, `${path} is not a file of this server`);
    return (file.zipped ?? file.body).length;
  });
  const total = parts.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 150_000, `${total} bytes`);
  assert.ok(total > 10_000, "the page is there");
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
});

test("the page takes nothing but types from the program [inspector.boundary]", () => {
  const sources = globSync("inspector/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(sources.length > 30);
  for (const from of sources)
    assert.deepEqual(findPageViolations(from, readFileSync(join(root, from), "utf8")), []);
});

test("a planted import is found [inspector.boundary]", () => {
  const planted = [
    `import { routes } from "../../src/server/api.ts";`,
    `import {\n  type Reply,\n  routes,\n} from "../../src/server/api.ts";`,
    `import type { Session } from "../../src/sessions/session.ts";`,
    `import { readFileSync } from "node:fs";`,
    `import { z } from "zod";`,
    `export { merge } from "../../src/engine/merge.ts";`,
    `import "../../src/index.ts";`,
  ];
  for (const text of planted) assert.equal(findPageViolations("inspector/src/app.tsx", text).length, 1, text);
  const fine = `import type { Reply } from "../../src/server/api.ts";\nimport { render } from "preact";\nimport { x } from "./x.ts";`;
  assert.deepEqual(findPageViolations("inspector/src/app.tsx", fine), []);
});

test("from a checkout the page is built when it is older than its sources, and only then [inspector.built]", async () => {
  const said: string[] = [];
  const build = () => buildPageOfCheckout((line) => said.push(line));
  await build();
  said.length = 0;
  await build();
  assert.deepEqual(said, [], "nothing changed");
  const script = join(root, "dist/inspector/inspector.js");
  utimesSync(script, new Date(0), new Date(0));
  await build();
  assert.equal(said.length, 1, said.join("\n"));
  assert.match(said[0] ?? "", /^Building the page/);
  assert.ok((await pageFiles()).has("/"));
});
