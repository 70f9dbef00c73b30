import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { entries, sourceOf } from "../scripts/api-reference.ts";
import { findExport } from "../scripts/exported-declarations.ts";
import { generatedFiles } from "../scripts/generated-files.ts";
import { type Json, objectIn } from "../src/engine/json.ts";
import { configSchema } from "../src/workspace/config-schema.ts";
import { settingNames } from "../src/workspace/settings.ts";

/** Whether a value matches a JSON Schema. */
const fits = (schema: Json, value: unknown) => z.fromJSONSchema(objectIn(schema)).safeParse(value).success;

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

for (const [path, content] of Object.entries(await generatedFiles()))
  test(`${path} follows from the sources: npm run generate [config.page] [repo.api]`, () => {
    assert.equal(read(path), content);
  });

test("every entry of the package is in the API reference, and each export with its declaration [repo.api]", async () => {
  const { exports } = JSON.parse(read("package.json"));
  const named = read("docs/api/README.md");
  const importable = Object.keys(exports).filter((path) => !path.endsWith(".json"));
  for (const path of importable) {
    const entry = path.replace(/^\./, "holdfast");
    assert.ok(named.includes(`\`${entry}\``), `${entry} is not in docs/api/README.md`);
    if (!entries.includes(entry)) continue;
    const page = read(`docs/api/${entry.replace("holdfast/", "")}.md`);
    for (const name of Object.keys(await import(pathToFileURL(sourceOf(entry)).href)))
      assert.match(page, new RegExp(`## \`${name}\`[\\s\\S]+?(?:function|const|class) ${name}\\b`), name);
  }
  assert.throws(() => findExport(join(root, "src/index.ts"), "noSuchName"), /does not declare/);
});

test("the page names every setting, and the package ships the schema [config.page] [config.schema]", () => {
  const page = read("docs/configuration.md");
  for (const name of settingNames) assert.ok(page.includes(`| \`${name}\` `), name);
  const { files, exports } = JSON.parse(read("package.json"));
  assert.ok(files.includes("holdfast.schema.json"));
  assert.equal(exports["./holdfast.schema.json"], "./holdfast.schema.json");
});

test("the config examples in the docs are valid, and a wrong one would be noticed [config.examples]", () => {
  const schema = configSchema() as Json;
  let examples = 0;
  for (const page of globSync("docs/**/*.md", { cwd: root })) {
    for (const [, text = ""] of read(page).matchAll(/```json\n([\s\S]*?)```/g)) {
      const example = JSON.parse(text) as Record<string, Json>;
      if (!isConfig(example)) continue;
      examples++;
      assert.ok(fits(schema, example), `${page}: ${text}`);
    }
  }
  assert.ok(examples >= 2, `${examples} examples`);
  assert.ok(!fits(schema, { compactAt: 7 }));
});

/** An example of a config file, not of another JSON file: it has a key that we know. */
function isConfig(example: Record<string, Json>): boolean {
  const known = new Set(["$schema", ...settingNames.flatMap((name) => [name, name.split(".")[0] ?? ""])]);
  return Object.keys(example).some((key) => known.has(key));
}
