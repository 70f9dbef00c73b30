import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, filler, openStage, type Stage } from "../../../test/support/agent.ts";
import { openMemory } from "../../index.ts";
import type { ScriptedRequest } from "../../testing/index.ts";

const surfaces = ["knowledge", "notepad", "notes", "tasks", "results"] as const;

const prompt = "PERMANENT: never deploy on Fridays.";
const summary = "SKILL-SUMMARY: how to audit a workbook.";
const skillText = "SKILL-TEXT: sum the detail rows first.";
const finding = "NOTEPAD: rows 251 to 267 are double.";
const statement = "HISTORY: the gap is in the EMEA region.";
const value = "STATE: deployed at noon";

/** Writes to every layer, with one turn of conversation. */
async function fill(stage: Stage): Promise<void> {
  const session = await stage.session();
  const knowledge = await session.knowledge();
  await knowledge.systemPrompt.write(prompt);
  await knowledge.saveSkill({ name: "audit", description: summary, content: skillText });
  await knowledge.state.set("deploy", value);
  await session.notepad.write(finding);
  await stage.say(statement);
}

async function open(t: Parameters<typeof openStage>[0]): Promise<Stage> {
  const script = ({ messages }: ScriptedRequest) =>
    String(messages[0]?.content).includes("PERMANENT")
      ? { text: `Noted. ${filler(50)}` }
      : { text: "A summary." };
  const memory = await openMemory({ store: "memory:", surfaces });
  const stage = await openStage(t, {
    memory,
    script,
    surfaces: [...surfaces],
    contextWindow: 16_000,
    system: "BASE",
  });
  await fill(stage);
  return stage;
}

const bodyOf = (request: ScriptedRequest | undefined) =>
  (request?.messages ?? []).map(({ content }) => String(content)).join("\n");

/** The prompt of the next turn. */
async function nextPrompt(stage: Stage): Promise<string> {
  await stage.say("Go on.");
  return bodyOf(stage.turns().at(-1));
}

async function compact(stage: Stage): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await stage.say(`Filler ${turn}. ${filler(400)}`);
  const { compacted } = await stage.agent.compact("s").result;
  assert.ok(compacted);
}

/** Ends the session and starts another with the same agent. */
async function end(stage: Stage): Promise<string> {
  await stage.memory.archiveSession("s");
  await stage.agent.send("next", "Begin.").result;
  return bodyOf(stage.turns().at(-1));
}

test("the order is base prompt, system prompt, skills, notepad [knowledge.order]", async (t) => {
  const stage = await open(t);
  const session = await stage.session();
  for (const text of [await nextPrompt(stage), `BASE ${(await session.context()).system}`]) {
    const positions = ["BASE", prompt, "## Skills\n- audit: ", "## Session Notepad\n", finding].map((part) =>
      text.indexOf(part),
    );
    assert.ok(!positions.includes(-1), text);
    assert.deepEqual(
      positions.toSorted((a, b) => a - b),
      positions,
    );
  }
});

test("system prompt: global, always in context, permanent [knowledge.layer-system-prompt]", async (t) => {
  const stage = await open(t);
  assert.ok((await nextPrompt(stage)).includes(prompt), "always, in full");
  await compact(stage);
  assert.ok((await nextPrompt(stage)).includes(prompt), "compaction does not affect it");
  assert.ok((await end(stage)).includes(prompt), "permanent, for every session");
});

test("skills: global, summary always, text on demand, permanent [knowledge.layer-skills]", async (t) => {
  const stage = await open(t);
  const before = await nextPrompt(stage);
  assert.ok(before.includes(summary) && !before.includes(skillText));
  await compact(stage);
  assert.ok((await nextPrompt(stage)).includes(summary));
  const next = await end(stage);
  assert.ok(next.includes(summary) && !next.includes(skillText));
  const session = await stage.memory.resumeSession("next");
  assert.ok((await session.call("read_skill", { name: "audit" })).text.includes(skillText));
});

test("notepad: per session, always in full, survives compaction, archived with the session [knowledge.layer-notepad]", async (t) => {
  const stage = await open(t);
  assert.ok((await nextPrompt(stage)).includes(finding));
  await compact(stage);
  assert.ok((await nextPrompt(stage)).includes(finding), "in full");
  assert.ok(!(await end(stage)).includes(finding), "another session has its own");
  assert.equal(await (await stage.memory.resumeSession("s")).notepad.read(), finding);
});

test("history: per session, in context until compacted, then summarized; archived with the session [knowledge.layer-history]", async (t) => {
  const stage = await open(t);
  assert.ok((await nextPrompt(stage)).includes(statement));
  await compact(stage);
  const after = await nextPrompt(stage);
  assert.match(after, /\[Summary of the conversation so far\]/);
  assert.ok(!(await end(stage)).includes(statement));
  const messages = await (await stage.memory.resumeSession("s")).messages();
  assert.ok(JSON.stringify(messages).includes(statement), "the messages can still be read in full");
});

test("state: global, on demand only, permanent [knowledge.layer-state]", async (t) => {
  const stage = await open(t);
  assert.ok(!(await nextPrompt(stage)).includes(value), "not in context");
  await compact(stage);
  const session = await stage.session();
  const get = call("get_state", { key: "deploy" });
  assert.ok((await session.call(get.name, get.input)).text.includes(value));
  assert.ok(!(await end(stage)).includes(value));
  assert.ok(
    (await (await stage.memory.resumeSession("next")).call(get.name, get.input)).text.includes(value),
  );
});

test("the docs have a row for every layer tested here [knowledge.layers-documented]", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/surfaces.md"), "utf8");
  for (const layer of ["System prompt", "Skills", "Session notepad", "Conversation history", "State"])
    assert.match(page, new RegExp(`^\\| ${layer} +\\|(?:[^|\\n]+\\|){4}$`, "m"), layer);
});
