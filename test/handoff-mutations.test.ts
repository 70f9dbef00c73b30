import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");

/** A fault in the sources, and the tests that must find it: those of a requirement, or one by its name. */
const faults: [requirement: string, file: string, find: string, replace: string][] = [
  ["handoff.words", "handoff.ts", "const said = [...known, ...now", "const said = [...now"],
  ["handoff.words", "handoff.ts", "fenceContent(text)}`", "fenceContent(oneLine(text, 60))}`"],
  ["handoff.order", "handoff.ts", "return [first, ...rest.slice(from)];", "return rest.slice(from);"],
  ["handoff.noise", "user-words.ts", "withoutBlocks(text).replace(hostLine", "text.replace(hostLine"],
  ["handoff.plan", "plan.ts", "plan = list.flatMap(itemOf)", "plan.push(...list.flatMap(itemOf))"],
  ["handoff.steps", "steps.ts", "const failed = isError ||", "const failed ="],
  ["handoff.earlier", "handoff.ts", "earlier: before };", "earlier: [] };"],
  ["long words in any script", "handoff.ts", "if (cost(line) <= room / 2 || limit < 10)", "if (limit > 0)"],
  [
    "handoff.pure",
    "handoff.ts",
    "hide = redactText, countTokens } = input",
    "hide = (text: string) => text, countTokens } = input",
  ],
];

for (const [requirement, file, find, replace] of faults) {
  test(`"${replace}" in ${file} fails the tests of ${requirement} [handoff.bite]`, async () => {
    const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
    const env = {
      ...inherited,
      PLANTED: JSON.stringify({ file: `/src/compaction/${file}`, find, replace }),
    };
    const args = ["--import", "./test/support/plant.ts", "--test", "--test-name-pattern", requirement];
    const run = promisify(execFile)(process.execPath, [...args, "src/compaction/handoff.test.ts"], {
      cwd: root,
      env,
    });
    const failed = await run.then(
      ({ stdout }) => `all passed:\n${stdout}`,
      ({ stdout }: { stdout: string }) => stdout,
    );
    assert.match(failed, /(?:✖|not ok)/, failed);
    assert.doesNotMatch(failed, /no longer contains/);
  });
}
