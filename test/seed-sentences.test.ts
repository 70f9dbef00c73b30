import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateText } from "ai";
import { openSdkStage } from "../src/adapters/ai-sdk/test-support/ai-sdk.ts";
import { renderSkill } from "../src/hosts/install/skill-piece.ts";
import { defaultLimits, openMemory } from "../src/index.ts";
import { scratchpadSurface } from "../src/surfaces/scratchpad/tools.ts";
import { inHost, inPlugin, ownLoop } from "../src/surfaces/surface.ts";
import { openStage } from "./support/agent.ts";
import { hookProcess } from "./support/hook.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const page = (name: string) => readFileSync(join(import.meta.dirname, "..", name), "utf8");

test("when to write, and what not: in the guidance of every place, in the skill and in the docs [config.when-to-write]", () => {
  const texts = [
    ...[ownLoop, inHost, inPlugin()].map((presentation) =>
      scratchpadSurface.guidance(defaultLimits, presentation, []),
    ),
    renderSkill(["scratchpad"]),
    page("docs/surfaces.md"),
  ];
  for (const text of texts) {
    for (const action of ["set_plan", "append_notes", "set_notes", "refs.add"])
      assert.ok(text.includes(action));
    for (const situation of [/plan/, /key fact/, /file or URL/, /step/, /full/])
      assert.match(text, situation);
    for (const not of [/files|file contents/, /conversation/, /speculati/, /original request/])
      assert.match(text, not);
  }
});

test("openMemory names the entries of project and sandbox [config.named-surfaces]", async () => {
  for (const [name, factory] of [
    ["project", "projectSurface"],
    ["sandbox", "sandboxSurface"],
  ])
    await assert.rejects(
      openMemory({ store: "memory:", surfaces: [name as never] }),
      new RegExp(`import \\{ ${factory} \\} from "holdfast/${name}"`),
    );
});

test("the AI SDK adapter's guidance and schemas have the limits of the memory, without repeating them [config.sdk-limits]", async (t) => {
  const limits = { refs: 7, noteCharacters: 123, scratchpadTokens: 321 };
  const stage = await openSdkStage(t, () => ({ text: "Done." }), {
    surfaces: ["scratchpad", "notes"],
    limits,
  });
  await generateText({ ...stage.settings(), instructions: "x", prompt: "Go" });
  const sent = JSON.stringify(stage.server.requests[0]);
  assert.match(sent, /Budget: ~321 tokens/);
  assert.match(sent, /refs \(7 items\)/);
  assert.match(sent, /"maxLength":123/);
});

test("a search lists notes that only share words apart from those that contain the text [config.similar]", async () => {
  const memory = await openMemory({ store: "memory:", surfaces: ["notes"] });
  const session = await memory.createSession();
  await session.call("add_note", { content: "The token expires after an hour" });
  const search = async (query: string) => {
    const answer = await session.call("search_notes", { query });
    return answer.ok ? JSON.stringify(answer.output) : answer.code;
  };
  assert.match(await search("token expires"), /"notes":\[\{[^\]]*hour[\s\S]*"result_count":1/);
  assert.match(await search("expiring tokens"), /"notes":\[\][\s\S]*"result_count":0/);
  assert.match(await search("expiring tokens"), /"similar":\[\{[^\]]*hour/);
  await memory.close();
});

test("the seed's hint is shown while the notepad is empty; no text calls it empty after a write [config.empty-hint]", async (t) => {
  const hint =
    "## Session Notepad\n(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)";
  for (const placement of ["system", "message", "epoch"] as const) {
    const stage = await openStage(t, { script: () => ({ text: "Done." }), surfaces: ["notepad"], placement });
    const text = () => JSON.stringify(stage.server.requests.at(-1)?.messages);
    await stage.say("First.");
    assert.ok(text().includes(JSON.stringify(hint).slice(1, -1)));
    await (await stage.session()).notepad.write("now used", { actor: { kind: "person" } });
    await stage.say("Second.");
    assert.match(text(), /now used/);
    assert.doesNotMatch(text(), /\(empty/);
  }
});

test("a hook with a mistake in the config reports it and goes on with the default [config.hook-mistake]", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "holdfast.json"), '{\n  "scratchpad": { "nudgeAfterTurn": 1 }\n}');
  const event = { session_id: "s", hook_event_name: "SessionStart", source: "startup", cwd: root };
  const { code, stdout, stderr } = await hookProcess("claude-code", JSON.stringify(event), { cwd: root });
  assert.equal(code, 0);
  assert.match(stdout, /Session Notepad/, "memory is shown in any case");
  assert.match(stderr, /holdfast\.json:2: .*nudgeAfterTurn.*did you mean .*nudgeAfterTurns/);
});

test("the docs have a way here from each of the four originals [config.coming-from]", () => {
  const coming = page("docs/from-the-documents.md");
  for (const name of ["metaclaw", "Forge", "OpenClaw", "Loa"])
    assert.match(coming, new RegExp(`^\\| ${name}`, "m"));
  assert.match(coming, /holdfast store import FILE/);
  assert.match(coming, /discovery\//);
});
