import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { initProject, openProject } from "../../surfaces/project/index.ts";

/** The changes that a report may make: the session's history, and NOTES.md apart from the time of its last handoff. */
async function written(project: HookProject): Promise<unknown> {
  const notes = join(project.root, "grimoires/loa/NOTES.md");
  const history = await inMemory(project, async (memory) =>
    (await memory.findSession("claude-code.s1"))?.history(),
  );
  return {
    entries: (history ?? []).map(({ revision, operation }) => `${revision} ${operation.type}`),
    notes: existsSync(notes)
      ? readFileSync(notes, "utf8").replace(/Session Started.*|Last Checkpoint.*/g, "")
      : "",
  };
}

async function conversation(): Promise<{
  project: HookProject;
  about: Record<string, unknown>;
  path: string;
}> {
  const project = await hookProject();
  initProject(openProject({ root: project.root }));
  const path = join(project.root, "t.jsonl");
  const said = "Never push to main. Look at src/a.ts";
  writeFileSync(path, `{"type":"user","uuid":"1","message":{"content":"${said}"}}\n`);
  return { project, path, about: { session_id: "s1", transcript_path: path } };
}

const summaryLine = (number: number) =>
  `{"type":"user","uuid":"s${number}","isCompactSummary":true,"message":{"content":"Summary ${number}."}}\n`;

/** A whole compaction and the end of the conversation, as the host reports them. */
const story = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "PreCompact", trigger: "auto" },
  { hook_event_name: "PostCompact", trigger: "auto", compact_summary: "Summary 1." },
  { hook_event_name: "SessionStart", source: "compact" },
  { hook_event_name: "SessionEnd", reason: "exit" },
];

for (const how of ["again", "at once"] as const)
  test(`a report that comes ${how} changes nothing [hooks.reported-twice]`, async () => {
    const { project, path, about } = await conversation();
    const send = (event: Record<string, unknown>) => hook(project, "claude-code", { ...about, ...event });
    for (const event of story) {
      if (event.hook_event_name === "PostCompact") appendFileSync(path, summaryLine(1));
      let shown: string[];
      if (how === "again") {
        const first = await send(event);
        const after = await written(project);
        const second = await send(event);
        assert.deepEqual(await written(project), after, event.hook_event_name);
        shown = [first.context, second.context];
      } else shown = (await Promise.all([send(event), send(event)])).map(({ context }) => context);
      if (event.source === "compact") for (const text of shown) assert.match(text, /\[Receipt: /);
    }
    const { entries, notes } = (await written(project)) as { entries: string[]; notes: string };
    assert.equal(entries.filter((entry) => entry.endsWith("context.receipt")).length, 1);
    assert.equal(entries.filter((entry) => entry.endsWith("context.handoff")).length, 1);
    for (const row of ["Compaction: ", "Session end: "]) assert.equal(notes.split(row).length, 2, notes);
  });

test("the next compaction of a conversation is not taken for the last one [hooks.reported-twice]", async () => {
  const { project, path, about } = await conversation();
  for (const number of [1, 2]) {
    await hook(project, "claude-code", { ...about, hook_event_name: "PreCompact", trigger: "auto" });
    appendFileSync(path, summaryLine(number));
    await hook(project, "claude-code", { ...about, hook_event_name: "SessionStart", source: "compact" });
    appendFileSync(
      path,
      `{"type":"user","uuid":"u${number}","message":{"content":"Go on with ${number}"}}\n`,
    );
  }
  await inMemory(project, async (memory) =>
    assert.equal((await (await memory.resumeSession("claude-code.s1")).receipts()).length, 2),
  );
});
