import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { build } from "tsdown";
import { temporaryDirectory } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const dist = temporaryDirectory();

before(async () => {
  const entry = { index: "src/index.ts", cli: "src/cli.ts" };
  await build({
    config: false,
    cwd: root,
    entry,
    outDir: dist,
    format: "esm",
    fixedExtension: false,
    dts: false,
    logLevel: "silent",
  });
});

/** Every module that loading a built file pulls in by static imports. */
function staticImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b[^"'();]*["']([^"']+)["'];?$/gm)) {
    if (specifier.startsWith("./")) staticImports(specifier.slice(2), seen);
    else seen.add(specifier);
  }
  return seen;
}

test("the built root entry pulls in no Node module [repo.root-entry]", () => {
  const imports = [...staticImports("index.js")];
  assert.ok(imports.includes("zod"), "the reader of imports finds nothing");
  assert.deepEqual(
    imports.filter((name) => name.startsWith("node:") || ["fs", "path", "pg", "ai"].includes(name)),
    [],
  );
});

test("the reader of imports finds a planted Node module [repo.root-entry]", () => {
  assert.ok([...staticImports("cli.js")].includes("node:fs"));
});

test("the command starts with nothing but its own few lines [repo.root-entry]", () => {
  assert.deepEqual([...staticImports("cli.js")], ["cli.js", "node:fs"]);
});
