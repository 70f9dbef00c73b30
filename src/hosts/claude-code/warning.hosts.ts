import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { warningStart } from "../../compaction/notices.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ClientRequest, startClientModel } from "../doctor/client-model.ts";
import {
  type ClientPlace,
  count,
  installClient,
  makePlace,
  run,
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
}

interface Story {
  steps: Step[];
  /** What the agent does when it reads the warning (default: it writes to its notepad). */
  answer?: ClientAnswer;
}

/** A conversation with the real client. The model runs a command for each step, then says that it is done. */
async function tell({ steps, answer = writing }: Story) {
  const place = makePlace("claude-code");
  const requests: (ClientRequest & { kind: "turn" | "summary" })[] = [];
  let step = 0;
  const model = await startClientModel((request) => {
    const isSummary = /detailed summary of the conversation/i.test(request.last);
    requests.push({ ...request, kind: isSummary ? "summary" : "turn" });
    if (isSummary) return { text: "<summary>The user asked for the ledger.</summary>", tokens: 20_000 };
    if (request.last.includes(warningStart)) return { tokens: steps[step - 1]?.tokens ?? 60_000, ...answer };
    const next = steps[step++];
    if (!next) return { text: "All done.", tokens: 15_000 };
    const command = `seq -s ' word ' ${Math.ceil((next.result ?? 10) / 10)}`;
    return { call: { tool: "Bash", input: { command } }, tokens: next.tokens };
  });
  stops.push(model.close);
  Object.assign(place.env, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  writeJson(join(place.home, ".claude.json"), {
    projects: { [place.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] } },
  });
  const settings = join(place.root, ".claude/settings.json");
  writeJson(settings, { ...JSON.parse(readFileSync(settings, "utf8")), autoCompactWindow: window });
  return { place, requests, kinds: () => requests.map(({ kind }) => kind).join(" ") };
}

const writing: ClientAnswer = {
  call: { tool: "mcp__holdfast__write_notepad", input: { content: "plan: port is 8443, step 2 of 3" } },
};

const program = join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
const say = (place: ClientPlace, ...words: string[]) =>
  run(program, ["-p", "--allowedTools", "Bash,mcp__holdfast__*", "--", ...words], place);

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
    steps: [{ tokens: 30_000 }, { tokens: 61_000, result: 27_000 }, { tokens: 70_000 }],
  });
  await say(place, "Move the ledger.");
  const warned = requests.findIndex(({ last }) => last.includes(warningStart));
  const compacted = requests.findIndex(({ kind }) => kind === "summary");
  assert.ok(warned > 0 && warned < compacted, kinds());
  assert.match(requests[compacted + 1]?.body ?? "", /## Session Notepad\\nplan: port is 8443/);
});
