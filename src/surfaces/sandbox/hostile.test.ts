import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  hostileApi,
  hostileLimits,
  hostilePrograms,
  type Verdict,
} from "../../../test/support/hostile-programs.ts";
import { createSandbox, type SandboxResult } from "./index.ts";

const megabyte = 1024 * 1024;
const sandbox = createSandbox({ limits: { memoryBytes: 32 * megabyte }, workers: 1 });
after(() => sandbox.close());

const isLimit = (verdict: Verdict) =>
  verdict !== "failed" && verdict !== "syntax" && typeof verdict === "string";

function verdictOf(result: SandboxResult): Verdict {
  if (result.ok) return { value: result.value };
  if (result.code === "syntax_error") return "syntax";
  return result.limit ?? "failed";
}

test("hostile programs end, the process stays small, and the next call works [sandbox.hostile]", async (t) => {
  assert.ok(Object.keys(hostilePrograms).length >= 25);
  await sandbox.run({ code: "1" });
  const before = process.memoryUsage().rss;
  for (const [name, [code, ...verdicts]] of Object.entries(hostilePrograms)) {
    await t.test(name, async () => {
      const ends = verdicts.some(isLimit);
      const result = await sandbox.run({ code, api: hostileApi, ...(ends ? { limits: hostileLimits } : {}) });
      const verdict = verdictOf(result);
      assert.ok(
        // On a busy machine, a program may run out of CPU time before it reaches the expected limit.
        (ends && verdict === "cpu") ||
          verdicts.some((each) => JSON.stringify(each) === JSON.stringify(verdict)),
        JSON.stringify(result).slice(0, 400),
      );
      const grown = (process.memoryUsage().rss - before) / megabyte;
      assert.ok(grown < 300, `the process grew by ${grown} MB`);
      const code2 = "return [typeof polluted, [1].length, await session.notepad.read()]";
      const next = await sandbox.run({ code: code2, api: hostileApi });
      assert.deepEqual(next, { ok: true, value: ["undefined", 1, "notepad text"], logs: "" });
    });
  }
});
