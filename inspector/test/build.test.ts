import assert from "node:assert/strict";
import { globSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findPageViolations } from "../../scripts/boundaries.ts";
import { buildPageOfCheckout, pageFiles } from "../../src/server/page.ts";

const root = join(import.meta.dirname, "../..");

test("the first load is at most 60 kB compressed, uses only this server, and has no inline script or style [inspector.small]", async () => {
  const files = await pageFiles();
  const html = files.get("/")?.body.toString("utf8") ?? "";
  // Relative to the page, which may have a path of its own.
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => `/${path}`);
  assert.ok(named.includes("/inspector.js") && named.includes("/inspector.css"), html);
  const parts = ["/", ...new Set(named)].map((path) => {
    const file = files.get(path);
    assert.ok(file, `this server does not serve ${path}`);
    return (file.zipped ?? file.body).length;
  });
  const total = parts.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= 60_000, `${total} bytes`);
  assert.ok(total > 10_000, "the page is built");
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
});

test("red is only for what is lost, and the colors of parts only for parts [inspector.numbers]", () => {
  const styles = globSync("inspector/styles/*.css", { cwd: root })
    .map((path) => readFileSync(join(root, path), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""))
    .join("\n");
  const rules = [...styles.matchAll(/([^{}]+)\{([^{}]*)\}/g)];
  const using = (color: string) =>
    rules
      .filter(([, , body = ""]) => body.includes(`var(--${color}`))
      .map(([, selector = ""]) => selector.trim());
  for (const [color, selectors] of [
    ["lost", /lost/],
    ["part-", /part|summary-sign|role-memory/],
  ] as const) {
    assert.ok(using(color).length > 0, color);
    for (const selector of using(color)) assert.match(selector, selectors);
  }
});

test("the page imports only types from src [inspector.boundary]", () => {
  const sources = globSync("inspector/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(sources.length > 20);
  for (const from of sources)
    assert.deepEqual(findPageViolations(from, readFileSync(join(root, from), "utf8")), []);
});

test("the check finds a forbidden import [inspector.boundary]", () => {
  const forbidden = [
    `import { routes } from "../../src/server/api.ts";`,
    `import {\n  type Reply,\n  routes,\n} from "../../src/server/api.ts";`,
    `import type { Session } from "../../src/sessions/session.ts";`,
    `import { readFileSync } from "node:fs";`,
    `import { z } from "zod";`,
    `export { merge } from "../../src/engine/merge.ts";`,
    `import "../../src/index.ts";`,
  ];
  for (const text of forbidden)
    assert.equal(findPageViolations("inspector/src/app.tsx", text).length, 1, text);
  const fine = `import type { Reply } from "../../src/server/api.ts";\nimport { render } from "preact";\nimport { x } from "./x.ts";`;
  assert.deepEqual(findPageViolations("inspector/src/app.tsx", fine), []);
});

test("in a checkout, the page is built only when it is older than its sources [inspector.built]", async () => {
  const log: string[] = [];
  const build = () => buildPageOfCheckout((line) => log.push(line));
  await build();
  log.length = 0;
  await build();
  assert.deepEqual(log, [], "nothing changed");
  const script = join(root, "dist/inspector/inspector.js");
  utimesSync(script, new Date(0), new Date(0));
  await build();
  assert.equal(log.length, 1, log.join("\n"));
  assert.match(log[0] ?? "", /^Building the page/);
  assert.ok((await pageFiles()).has("/"));
});
