import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filler, ofType, openStage } from "../../test/support/agent.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { initProject, openProject, projectSurface } from "../surfaces/project/index.ts";

/** A blocker that should be resolved by now. */
function logBlocker(root: string): void {
  const path = join(root, "grimoires/loa/NOTES.md");
  const text = readFileSync(path, "utf8");
  const blocker = "- Waiting: OAuth keys (ETA: 2020-01-01)\n";
  writeFileSync(path, text.replace(/(## Blockers & Dependencies\n(?:<!--.*-->\n)?)/, `$1${blocker}`));
}

test("the controller notifies the project's memory of a session's start, compactions and end [controller.lifecycle]", async (t) => {
  const root = temporaryDirectory();
  initProject(openProject({ root }));
  logBlocker(root);
  const read = () => readFileSync(join(root, "grimoires/loa/NOTES.md"), "utf8");
  let answers = 0;
  const stage = await openStage(t, {
    script: ({ tools }) =>
      tools?.length === 0 ? { text: "A summary." } : { text: `Answer ${++answers}. ${filler(100)}` },
    surfaces: ["notepad", projectSurface({ root })],
    contextWindow: 16_000,
  });
  await stage.say("Audit the workbook in data/q3.xlsx.");
  const started = read();
  assert.match(started, /Session Started\*\*: \d{4}-/);
  assert.match(JSON.stringify(stage.turns()[0]?.messages), /Project memory/);
  assert.match(JSON.stringify(stage.turns()[0]?.messages), /This blocker may have resolved .*OAuth keys/);
  for (let turn = 0; turn < 4; turn++) await stage.say(`Sheet ${turn}. ${filler(300)}`);
  await stage.agent.compact("s").result;
  const [, end = ""] = /\| \d{4}-[^|]+\| [^|]+ \| Compaction: at the end: (Answer \d+)/.exec(read()) ?? [];
  assert.equal(end, "Answer 5", "the newest answer, which stays in the context");
  await stage.agent.end("s").result;
  assert.match(read(), /\| Session end: /);
});

test("with handoff: false nothing of the conversation is written to NOTES.md [handoff.off]", async (t) => {
  const root = temporaryDirectory();
  initProject(openProject({ root }));
  const stage = await openStage(t, {
    memory: await openMemory({ store: "memory:", handoff: false }),
    script: () => ({ text: `Understood. ${filler(100)}` }),
    surfaces: ["notepad", projectSurface({ root })],
  });
  for (const text of ["Audit data/q3.xlsx.", "Go on.", "And now?"]) await stage.say(`${text} ${filler(300)}`);
  await stage.agent.end("s").result;
  await stage.agent.compact("s").result;
  assert.equal((await stage.agent.receipts("s")).length, 1);
  const notes = readFileSync(join(root, "grimoires/loa/NOTES.md"), "utf8");
  assert.doesNotMatch(notes, /Compaction:|Session end:|q3|Understood/);
});

test("a surface's write failure is an error event and blocks nothing [controller.lifecycle]", async (t) => {
  const surface = {
    name: "broken",
    tools: [],
    guidance: () => "",
    onLifecycle: async () => ["NOTES.md cannot be written."],
  };
  const stage = await openStage(t, { script: () => ({ text: "Done." }), surfaces: ["notepad", surface] });
  const { text, events } = await stage.say("Hello.");
  assert.equal(text, "Done.");
  assert.deepEqual(ofType(events, "error"), [{ type: "error", message: "NOTES.md cannot be written." }]);
});
