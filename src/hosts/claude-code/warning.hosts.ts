import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { warningStart } from "../../compaction/warning.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ClientRequest, startScriptedModel } from "../doctor/scripted-model.ts";
import {
  type ClientPlace,
  count,
  installClient,
  makePlace,
  run,
  useDoctorModel,
  writeJson,
} from "../test-support/clients.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** The least window that Claude Code accepts. It compacts at 67,000 tokens of it. */
const window = 100_000;

interface Step {
  /** The tokens of the request that the model answers. */
  tokens: number;
  /** The length of the result of the command that the model runs (default: a line). */
  result?: number;
  /** The turn ends with it. */
  ends?: boolean;
}

interface Story {
  steps: Step[];
  /** The agent's action after the warning (default: it writes to its notepad). */
  answer?: ClientAnswer;
}

/** A conversation with the real client. The model runs a command for each step, then reports that it is done. */
async function tell({ steps, answer = writing }: Story) {
  const place = makePlace("claude-code");
  const requests: (ClientRequest & { kind: "turn" | "summary"; of: string; answered?: number })[] = [];
  /** The steps done, by the ledger that the conversation is about. */
  const done: Record<string, number> = {};
  const model = await startScriptedModel((request) => {
    const isSummary = /detailed summary of the conversation/i.test(request.last);
    const [, of = ""] = /Move the ledger (\w+)/.exec(request.text) ?? [];
    const record: (typeof requests)[number] = { ...request, kind: isSummary ? "summary" : "turn", of };
    requests.push(record);
    if (isSummary) return { text: "<summary>The user asked for the ledger.</summary>", tokens: 20_000 };
    const step = done[of] ?? 0;
    if (request.last.includes(warningStart)) return { tokens: steps[step - 1]?.tokens ?? 60_000, ...answer };
    const next = steps[step];
    if (!next) return { text: "All done.", tokens: 15_000 };
    done[of] = step + 1;
    record.answered = next.tokens;
    if (next.ends) return { text: "That is enough for now.", tokens: next.tokens };
    const command = `seq -s ' word ' ${Math.ceil((next.result ?? 10) / 10)}`;
    return { call: { tool: "Bash", input: { command } }, tokens: next.tokens };
  });
  stops.push(model.close);
  await useDoctorModel("claude-code", place, model);
  writeJson(join(place.home, ".claude.json"), {
    projects: { [place.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] } },
  });
  const settings = join(place.root, ".claude/settings.json");
  writeJson(settings, { ...JSON.parse(readFileSync(settings, "utf8")), autoCompactWindow: window });
  const told = ({ kind, last, answered = 0 }: (typeof requests)[number]) =>
    `${kind}${last.includes(warningStart) ? " warned" : ""} ${answered}`;
  return { place, requests, kinds: () => requests.map(told).join(", ") };
}

const writing: ClientAnswer = {
  call: { tool: "mcp__holdfast__write_notepad", input: { content: "plan: port is 8443, step 2 of 3" } },
};

const program = join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
const options = ["--allowedTools", "Bash,mcp__holdfast__*"];
const say = (place: ClientPlace, words: string) => run(program, ["-p", ...options, "--", words], place);
const goOn = (place: ClientPlace, words: string) =>
  run(program, ["-p", "--continue", ...options, "--", words], place);

async function receiptOf(place: ClientPlace) {
  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  const [{ id } = { id: "" }] = await memory.listSessions();
  const session = await memory.resumeSession(id);
  const receipts = await session.records("receipt");
  await memory.close();
  return receipts[0]?.value;
}

test(`${spec}: steady growth: the agent is warned in mid-turn, and its notes are in the next context`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [{ tokens: 30_000 }, { tokens: 50_000 }, { tokens: 65_000 }, { tokens: 70_000 }],
  });
  await say(place, "Move the ledger.");
  const warned = requests.findIndex(({ last }) => last.includes(warningStart));
  const compacted = requests.findIndex(({ kind }) => kind === "summary");
  assert.ok(warned > 0 && warned < compacted, kinds());
  assert.equal(
    requests.filter(({ kind, last }) => kind === "turn" && last.includes(warningStart)).length,
    1,
    "once",
  );
  const next = requests[compacted + 1]?.body ?? "";
  assert.match(next, /## Session Notepad\\nplan: port is 8443/);
  assert.equal(count(next, warningStart), 0, "the warning is gone with the conversation");
  const receipt = await receiptOf(place);
  assert.equal(receipt?.warning, "given");
  assert.equal(receipt?.wrote, true);
});

test(`${spec}: a jump over the limit: one request is let through for the warning, then it compacts`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [{ tokens: 30_000 }, { tokens: 61_000 }, { tokens: 61_100, result: 27_000 }, { tokens: 70_000 }],
  });
  await say(place, "Move the ledger.");
  const warned = requests.findIndex(({ last }) => last.includes(warningStart));
  const compacted = requests.findIndex(({ kind }) => kind === "summary");
  assert.ok(warned > 0 && warned < compacted, kinds());
  assert.match(requests[compacted + 1]?.body ?? "", /## Session Notepad\\nplan: port is 8443/);
});

test(`${spec}: warned, but nothing written: the compaction waits for one request, then goes its way`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [
      { tokens: 30_000 },
      { tokens: 65_000 },
      { tokens: 68_000 },
      { tokens: 69_000 },
      { tokens: 20_000 },
    ],
    answer: { call: { tool: "Bash", input: { command: "true" } } },
  });
  await say(place, "Move the ledger.");
  const isWarning = ({ kind, last }: (typeof requests)[number]) =>
    kind === "turn" && last.includes(warningStart);
  const compacted = requests.findIndex(({ kind }) => kind === "summary");
  assert.ok(compacted > 0, kinds());
  assert.equal(requests.filter(isWarning).length, 1, kinds());
  // It is due after 68,000 tokens, and comes after one more request.
  assert.equal(compacted, requests.findIndex(({ answered }) => answered === 68_000) + 2, kinds());
  assert.equal(requests.filter(({ kind }) => kind === "summary").length, 1);
  const receipt = await receiptOf(place);
  assert.equal(receipt?.warning, "given");
  assert.equal(receipt?.wrote, false);
});

test(`${spec}: two conversations at once are warned apart, and each keeps its own notes`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [{ tokens: 30_000 }, { tokens: 65_000 }, { tokens: 65_500 }, { tokens: 70_000 }],
  });
  await Promise.all(["Alpha", "Beta"].map((name) => say(place, `Move the ledger ${name}.`)));
  for (const name of ["Alpha", "Beta"]) {
    const own = requests.filter(({ of, text }) => of === name || text.includes(`ledger ${name}`));
    const warnings = own.filter(({ kind, last }) => kind === "turn" && last.includes(warningStart));
    assert.equal(warnings.length, 1, `${name}: ${kinds()}`);
  }
  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  const sessions = await memory.listSessions();
  const texts = [];
  for (const { id } of sessions) texts.push(await (await memory.resumeSession(id)).notepad.read());
  await memory.close();
  assert.deepEqual(texts, ["plan: port is 8443, step 2 of 3", "plan: port is 8443, step 2 of 3"]);
});

test(`${spec}: a conversation that is resumed in the middle is warned when it grows on, once`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [
      { tokens: 30_000 },
      { tokens: 50_000, ends: true },
      { tokens: 62_000 },
      { tokens: 65_000 },
      { tokens: 65_500 },
      { tokens: 70_000 },
    ],
  });
  await say(place, "Move the ledger.");
  const before = requests.length;
  assert.ok(requests.every(({ text }) => !text.includes(warningStart)));
  await goOn(place, "Go on.");
  const later = requests.slice(before);
  const warned = later.findIndex(({ last }) => last.includes(warningStart));
  const compacted = later.findIndex(({ kind }) => kind === "summary");
  assert.ok(warned > 0 && warned < compacted, kinds());
  assert.match(later[compacted + 1]?.body ?? "", /## Session Notepad\\nplan: port is 8443/);
});

test(`${spec}: the user's /compact does not wait, also for an agent that was warned and wrote nothing`, {
  timeout: 180_000,
}, async () => {
  const { place, requests, kinds } = await tell({
    steps: [{ tokens: 30_000 }, { tokens: 65_000 }, { tokens: 65_100, ends: true }],
    answer: { text: "I will do that later." },
  });
  await say(place, "Move the ledger.");
  assert.ok(
    requests.some(({ last }) => last.includes(warningStart)),
    kinds(),
  );
  const before = requests.length;
  await goOn(place, "/compact");
  assert.deepEqual(
    requests.slice(before).map(({ kind }) => kind),
    ["summary"],
  );
  assert.equal((await receiptOf(place))?.wrote, false);
});
