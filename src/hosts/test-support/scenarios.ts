import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, type TestContext, test } from "node:test";
import { warningStart } from "../../compaction/warning.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import {
  type ClientAnswer,
  type ClientRequest,
  type ScriptedModel,
  startScriptedModel,
} from "../doctor/scripted-model.ts";
import {
  builtCommand,
  type ClientPlace,
  copyPackage,
  installClient,
  makePlace,
  run,
  writeJson,
} from "./clients.ts";

/** The scenarios for each client. The order is that of the table's columns. */
export const scenarios = [
  "write",
  "next turn",
  "compaction",
  "resume",
  "new session",
  "two at once",
  "locked store",
  "headless",
  "warned in mid-turn",
  "warned between turns",
  "with every message",
  "program gone",
] as const;

export type Scenario = (typeof scenarios)[number];

/** A client that runs headless, one process for each turn. */
export interface RealClient {
  host: string;
  /** The package and its version. */
  spec: string;
  /** Writes what a user decides once: trust, the model, approvals. */
  prepare(place: ClientPlace, model: ScriptedModel): void | Promise<void>;
  /** A turn of a new conversation. */
  begin(place: ClientPlace, words: string): Promise<unknown>;
  /** A turn of the last conversation, in a new process. */
  resume(place: ClientPlace, words: string): Promise<unknown>;
  /** Has the client compact the last conversation. */
  compact(place: ClientPlace): Promise<unknown>;
  /** Words that fill the conversation before its compaction (default: 300). */
  padding?: number;
  /** For a client that keeps the user's messages through a compaction: the summary, which must be there. */
  summaryKept?: RegExp;
  /** It keeps its newest prompts through a compaction, with the memory that came with them. */
  keepsMemory?: boolean;
  /** The model's answer to the client's own requests, such as the summarizer's; undefined for an agent's. */
  answerOwn?(request: ClientRequest): ClientAnswer | undefined;
  /** Its conversations may be with different people, so a new one is not offered the notes of another. */
  isForMany?: boolean;
  /** Init writes no skill for it. */
  hasNoSkill?: boolean;
  /** Further arguments of `npm install`. */
  installWith?: readonly string[];
  /** The user's decisions, before doctor finds nothing wrong (default: `prepare`). */
  decide?(place: ClientPlace, model: ScriptedModel): void | Promise<void>;
  /** The program that is asked as doctor (default: the built one of this checkout). */
  doctor?(): Promise<string>;
  /** The tokens at which it compacts by itself, as prepared. */
  limit?: number;
  /** Milliseconds that an answer of the model takes (default: none), for a client that appends to its transcript at intervals. */
  answerTime?: number;
  /** Why a scenario cannot be tried with this client. */
  untried?: Partial<Record<Scenario, string>>;
  /** Its first start makes a database of its own; of two first starts at once, one fails. */
  makesDatabase?: boolean;
}

/** One line of the table in docs/hosts.md. */
export interface ClientResult {
  host: string;
  client: string;
  version: string;
  date: string;
  scenarios: Partial<Record<Scenario, string>>;
}

const file = join(import.meta.dirname, "../../../docs/hosts-results.json");

export function readResults(): ClientResult[] {
  return JSON.parse(readFileSync(file, "utf8")) as ClientResult[];
}

/** Records the outcomes of one client's run in docs/hosts-results.json. */
export function keepResults(host: string, spec: string, outcomes: ClientResult["scenarios"]): void {
  const at = spec.lastIndexOf("@");
  const [client, version] = [spec.slice(0, at), spec.slice(at + 1)];
  const date = new Date().toISOString().slice(0, 10);
  const known = readResults();
  const others = known.filter((result) => result.host !== host);
  // A run of some scenarios keeps the outcomes of the others, of the same version.
  const same = known.find((result) => result.host === host && result.version === version);
  const all = [...others, { host, client, version, date, scenarios: { ...same?.scenarios, ...outcomes } }];
  const sorted = all.toSorted((a, b) => a.host.localeCompare(b.host));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

const timeout = 900_000;

/** Tries every scenario with a real client, and asserts on the requests that it sends to the model. */
export function testClient(client: RealClient): void {
  const outcomes: ClientResult["scenarios"] = { ...client.untried };
  const stops: (() => unknown)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
    keepResults(client.host, client.spec, outcomes);
  });
  const scenario = (names: Scenario[], work: (run: ScenarioRun) => Promise<void>, program = builtCommand) => {
    const tried = names.filter((name) => client.untried?.[name] === undefined);
    if (tried.length === 0) return;
    test(`${client.spec}: ${tried.join(", ")}`, { timeout }, async () => {
      for (const name of tried) outcomes[name] = "failed";
      const run = await startRun(client, program());
      stops.push(run.model.close);
      await work(run);
      for (const name of tried) outcomes[name] = "passed";
    });
  };
  scenario(["write", "next turn", "resume", "headless"], writeAndResume);
  scenario(["compaction"], compact);
  scenario(["new session", "two at once"], keepApart);
  scenario(["locked store"], lockStore);
  scenario(["warned in mid-turn"], warnInTurn);
  scenario(["warned between turns"], warnBetweenTurns);
  scenario(["with every message"], showWithEveryMessage);
  const copy = () => join(copyPackage(), "dist/cli.js");
  scenario(["program gone"], loseProgram, copy);
  test(`${client.spec}: doctor --live finds nothing wrong after init [doctor.live]`, { timeout }, (t) =>
    askDoctor(client, t),
  );
}

/** As a user would run it: with the program on the PATH, in the project that init has connected. */
async function askDoctor(client: RealClient, t: TestContext): Promise<void> {
  const model = await startScriptedModel(() => ({ text: "Done." }));
  t.after(model.close);
  const command = (await client.doctor?.()) ?? builtCommand();
  const place = makePlace(client.host, command);
  const folder = installClient(client.spec, client.installWith);
  place.env.PATH = `${join(folder, "node_modules/.bin")}${delimiter}${place.env.PATH ?? ""}`;
  await (client.decide ?? client.prepare)(place, model);
  const said = await run(process.execPath, [command, "doctor", client.host, "--live"], place);
  t.diagnostic(said);
  assert.match(said, /live\s+saved\s+memory\s+is\s+in\s+the\s+request\s+of\s+the\s+real/);
  if (client.untried?.["warned between turns"]) return;
  assert.match(said, /warning\s+the\s+real[\s\S]+warns\s+the\s+agent[\s\S]+comes\s+back/);
}

interface ScenarioRun {
  client: RealClient;
  /** The file that init has connected. */
  program: string;
  place: ClientPlace;
  model: ScriptedModel;
  /** Replaces the agent's answers (default: `answerAgent`). */
  script(answer: (request: ClientRequest) => ClientAnswer): void;
  /** The requests of an agent's turn since the last call. */
  newRequests(): ClientRequest[];
  notepads(): Promise<string[]>;
}

async function startRun(client: RealClient, program: string): Promise<ScenarioRun> {
  const agents: ClientRequest[] = [];
  let answer = answerAgent;
  const model = await startScriptedModel((request) => {
    const own = client.answerOwn?.(request);
    if (own) return own;
    agents.push(request);
    return { takes: client.answerTime ?? 0, ...answer(request) };
  });
  const place = makePlace(client.host, program);
  await client.prepare(place, model);
  return {
    client,
    program,
    place,
    model,
    script: (given) => {
      answer = given;
    },
    newRequests: () => agents.splice(0),
    async notepads() {
      const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
      const texts: string[] = [];
      for (const { id } of await memory.listSessions()) {
        const session = await memory.resumeSession(id);
        texts.push((await session.notepad.read()) || (await session.scratchpad.read()).notes);
      }
      await memory.close();
      return texts.filter((text) => text !== "").toSorted();
    },
  };
}

/** The tool that replaces the notepad or, in the hosts that have it instead, the scratchpad's notes. */
const writer = /(?:write_notepad|session_scratchpad)$/;
/** How a text of either begins in a request. */
const written = String.raw`(?:## Session Notepad|\[Session Scratchpad\])\s+`;

/** Writes "remember: WORD" to its memory. */
function answerAgent({ last, isResult, tools }: ClientRequest): ClientAnswer {
  const content = /remember: ([\w-]+)/.exec(last)?.[1];
  const tool = tools.find((name) => writer.test(name));
  if (isResult || content === undefined || tool === undefined) return { text: "Done." };
  return { call: { tool, input: { content } } };
}

async function writeAndResume({ client, place, newRequests, notepads }: ScenarioRun): Promise<void> {
  await client.begin(place, "Please remember: cedar-4711");
  const first = newRequests();
  assert.ok(first.length >= 2, "the tool was called, and its result was sent");
  assert.match(first.at(-1)?.text ?? "", /"?ok"?\W+true|Scratchpad updated/);
  assert.deepEqual(await notepads(), ["cedar-4711"]);
  if (!client.hasNoSkill)
    assert.match(
      first[0]?.body ?? "",
      /Keep what matters in working memory that survives/,
      "the skill is offered",
    );
  await client.resume(place, "Go on.");
  const [second] = newRequests();
  assert.match(second?.text ?? "", /cedar-4711/);
}

async function compact({ client, place, model, newRequests }: ScenarioRun): Promise<void> {
  await client.begin(
    place,
    `Please remember: cedar-4711. The file is src/ledger.ts. ${"pad ".repeat(client.padding ?? 3_000)}`,
  );
  await client.resume(place, "Next step: run npm test.");
  newRequests();
  const before = model.requests.length;
  await client.compact(place);
  assert.ok(model.requests.length > before, "the summariser was asked");
  newRequests();
  await client.resume(place, "Carry on now.");
  const text = newRequests()[0]?.text ?? "";
  assert.match(text, new RegExp(`${written}cedar-4711`));
  // A plugin may show the receipt with the memory, and the handoff in the summary below it.
  for (const part of ["[Handoff", "[Receipt: "]) assert.ok(text.includes(part), `no ${part} in ${text}`);
  if (client.summaryKept) assert.match(text, client.summaryKept, "the conversation was compacted");
  else assert.ok(text.split("pad ").length < 1_500, "the conversation was compacted");
  const copies = text.split(new RegExp(written)).length - 1;
  if (!client.keepsMemory) return assert.equal(copies, 1, "shown once");
  // The prompt before the compaction stays with its copy, which a hook cannot remove. The model is told which one holds.
  assert.equal(copies, 2, "in the prompt that was kept, and with the new one");
  assert.match(text, new RegExp(`which replaces every copy above[^\\n]+\\s+${written}cedar-4711`));
}

async function keepApart({ client, place, newRequests, notepads }: ScenarioRun): Promise<void> {
  if (client.makesDatabase) await client.begin(place, "Hello.");
  await Promise.all([
    client.begin(place, "Please remember: only-in-A"),
    client.begin(place, "Please remember: only-in-B"),
  ]);
  assert.deepEqual(await notepads(), ["only-in-A", "only-in-B"]);
  newRequests();
  await client.begin(place, "Something new.");
  const [request] = newRequests();
  assert.doesNotMatch(request?.text ?? "", /only-in-[AB]/);
  const offer = /continue [\w.-]+\n/;
  if (client.isForMany) assert.doesNotMatch(request?.text ?? "", offer);
  else assert.match(request?.text ?? "", offer, "it says how to go on with the earlier notes");
}

/** A backup or another program may hold the store: the agent continues without memory. */
async function lockStore({ client, place, newRequests }: ScenarioRun): Promise<void> {
  await client.begin(place, "Please remember: cedar-4711");
  newRequests();
  const database = new DatabaseSync(join(findProject(place.root).directory, "memory.db"));
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  try {
    await client.begin(place, "Please answer anyway.");
  } finally {
    database.exec("ROLLBACK");
    database.close();
  }
  assert.ok(newRequests().some(({ last }) => last.includes("answer anyway")));
}

const isWarned = ({ text }: ClientRequest) => text.includes(warningStart);

const toolIn = ({ tools }: ClientRequest, name: RegExp) => tools.find((tool) => name.test(tool)) ?? "";

/** The agent reads its memory until its context is nearly full, and writes to it when it is warned. */
async function warnInTurn({ client, place, script, newRequests, notepads }: ScenarioRun): Promise<void> {
  const limit = client.limit ?? 0;
  const fills = [0.3, 0.6, 0.97, 0.975, 0.98].map((share) => Math.round(limit * share));
  let wrote = false;
  script((request) => {
    const tokens = fills.shift();
    if (tokens === undefined) return { text: "Done." };
    if (isWarned(request) && !wrote) {
      wrote = true;
      return { call: { tool: toolIn(request, writer), input: { content: "port 8443" } }, tokens };
    }
    return { call: { tool: toolIn(request, /(?:read_notepad|list_pins)$/), input: {} }, tokens };
  });
  await client.begin(place, "Work until the window is full.");
  const requests = newRequests();
  const [warned] = requests.filter(isWarned);
  assert.ok(warned, `warned in one of ${requests.length} requests`);
  assert.ok(requests.indexOf(warned) > 1, "not before the context was nearly full");
  assert.deepEqual(await notepads(), ["port 8443"]);
}

/** The context is nearly full when a turn ends: the agent is warned then, or with the next prompt, and writes. */
async function warnBetweenTurns({
  client,
  place,
  script,
  newRequests,
  notepads,
}: ScenarioRun): Promise<void> {
  const tokens = Math.round((client.limit ?? 0) * 0.97);
  let wrote = false;
  script((request) => {
    if (!isWarned(request) || wrote) return { text: "Done.", tokens };
    wrote = true;
    return { call: { tool: toolIn(request, writer), input: { content: "port 8443" } }, tokens };
  });
  await client.begin(place, "Hello.");
  await client.resume(place, "Go on.");
  const requests = newRequests();
  assert.ok(requests.some(isWarned), `warned in one of ${requests.length} requests`);
  for (const { text } of requests) assert.ok(text.split(warningStart).length <= 2, "once");
  assert.deepEqual(await notepads(), ["port 8443"]);
}

/** With the placement `message`, a prompt comes with the memory although nothing has changed since the last one. */
async function showWithEveryMessage({ client, place, script, newRequests }: ScenarioRun): Promise<void> {
  writeJson(join(place.root, "holdfast.json"), { placement: "message" });
  let answers = 0;
  script((request) => {
    const answer = answerAgent(request);
    return answer.call ? answer : { text: `Answer ${++answers}.` };
  });
  await client.begin(place, "Please remember: cedar-4711");
  await client.resume(place, "Go on.");
  newRequests();
  const before = answers;
  await client.resume(place, "And on.");
  const { text = "" } = newRequests()[0] ?? {};
  const [shown] = [...text.matchAll(new RegExp(`${written}cedar-4711`, "g"))].slice(-1);
  assert.ok(shown, "the memory is in the request");
  assert.ok(shown.index > text.lastIndexOf(`Answer ${before}.`), "and it comes with the new prompt");
}

/** How a client starts a sub-agent that has the same tools as the main agent, and names the tools. */
interface SubAgentCalls {
  /** Before the name of a memory tool. */
  prefix: string;
  start: NonNullable<ClientAnswer["call"]>;
  /** Ends the sub-agent's turn, if a text does not. */
  end?: NonNullable<ClientAnswer["call"]>;
}

/** The main agent has a notepad and starts a sub-agent, which cannot replace the notepad, and is told how to append. */
export function testSubAgent(
  client: RealClient,
  calls: SubAgentCalls,
  work: (place: ClientPlace) => Promise<unknown>,
) {
  test(`${client.spec}: a sub-agent cannot replace the main agent's notepad, and is told how to append`, {
    timeout: 180_000,
  }, async (t) => {
    const call = (tool: string, input: Record<string, unknown>): ClientAnswer => ({
      call: { tool: `${calls.prefix}${tool}`, input },
    });
    const forMain = [call("write_notepad", { content: "plan: move the ledger" }), { call: calls.start }];
    const forSub = [
      call("write_notepad", { content: "six sheets" }),
      call("update_notepad", { operation: "append", content: "six sheets" }),
      ...(calls.end ? [{ call: calls.end }] : []),
    ];
    const told: string[] = [];
    const model = await startScriptedModel(({ text, last }) => {
      const isMain = text.includes("Move the ledger.");
      if (!isMain) told.push(last);
      return (isMain ? forMain : forSub).shift() ?? { text: "Done." };
    });
    t.after(model.close);
    const place = makePlace(client.host);
    await client.prepare(place, model);
    await work(place);
    assert.match(told[1] ?? "", /belongs to the agent that you work for.*update_notepad/);
    const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
    t.after(() => memory.close());
    const [session] = await memory.listSessions();
    const notepad = await (await memory.resumeSession(session?.id ?? "")).notepad.read();
    assert.match(notepad, /^plan: move the ledger\s+six sheets$/);
  });
}

/** npm has cleared its cache, or the package was removed: the next prompt still reaches the model. */
async function loseProgram({ client, program, place, newRequests }: ScenarioRun): Promise<void> {
  await client.begin(place, "Please remember: cedar-4711");
  assert.ok(newRequests().length >= 2, "with the program, the tool was called");
  rmSync(dirname(dirname(program)), { recursive: true });
  await client.begin(place, "Please answer anyway.");
  assert.ok(newRequests().some(({ last }) => last.includes("answer anyway")));
}
