import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/index.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { call, filler, isSummaryRequest } from "../support/agent.ts";
import { type ChatEvidence, chatRun } from "./chat-run.ts";
import { type Evidence, type Scenario, sessionOf } from "./run.ts";

interface ChatCase {
  value: unknown;
  base?: Record<string, unknown>;
  /** What the model answers; a request for a summary gets one. */
  script?: (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>;
  input: string[];
  seen(run: ChatEvidence): boolean | Promise<boolean>;
}

/** A long prompt on one line: each line of a chat is a prompt. */
const long = (tokens: number) => filler(tokens).replaceAll("\n", " ");

const done = { text: "Done." };
const summary = { text: "A summary of what was said before." };
const window24 = { contextWindow: 24_000, surfaces: ["notepad"] };

const happened = (type: string) => (run: ChatEvidence) => run.events.some((event) => event.type === type);
const said = (text: string) => (run: ChatEvidence) => JSON.stringify(run.requests).includes(text);

/** The first turn writes the notepad. */
const writing = (content: string) => (_request: ScriptedRequest, number: number) =>
  number === 0 ? { toolCalls: [call("write_notepad", { content })] } : done;

const systemHasIt = ({ requests }: ChatEvidence) =>
  JSON.stringify(requests.at(-1)?.messages[0]).includes("what was decided");

/** Sub-sessions: the parent starts some and waits; `child` answers for them. */
function withChildren(
  tasks: string[],
  child: (request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
  return (request: ScriptedRequest): ScriptedAnswer | Promise<ScriptedAnswer> => {
    const isParent = JSON.stringify(request.messages).includes("Delegate it.");
    if (!isParent) return child(request);
    const answers = request.messages.filter(({ role }) => role === "tool").length;
    if (answers === 0) return { toolCalls: tasks.map((task) => call("spawn_session", { task }, task)) };
    if (answers === tasks.length) return { toolCalls: [call("wait_for_sessions", {}, "wait")] };
    return done;
  };
}

const delegating = { surfaces: ["notepad", "sessions"], contextWindow: 60_000 };

const cases: Partial<Record<SettingName, ChatCase>> = {
  placement: {
    value: "system",
    script: writing("what was decided"),
    input: ["Write it down.", "Go on."],
    seen: systemHasIt,
  },
  foldAfter: {
    value: 0.00001,
    script: writing("what was decided"),
    input: ["Write it down.", "Go on."],
    seen: systemHasIt,
  },
  contextWindow: { value: 8_000, input: [long(7_000), "Go on."], seen: happened("compaction") },
  compactAt: { value: 0.3, base: window24, input: [long(8_000), "Go on."], seen: happened("compaction") },
  keep: {
    value: 0,
    base: { ...window24, compactAt: 0.3 },
    input: [long(2_500), `${long(2_500)} zebra`, long(2_500), "Go on."],
    seen: (run) => happened("compaction")(run) && !JSON.stringify(run.requests.at(-1)).includes("zebra"),
  },
  outputReserve: {
    value: 18_000,
    base: window24,
    input: [long(2_000), long(2_000), long(2_000), "Go on."],
    seen: happened("compaction"),
  },
  memoryShare: {
    value: 0.02,
    base: window24,
    script: writing(long(2_000)),
    input: ["Write it down.", "/compact", "Go on."],
    // A fiftieth of the window.
    seen: ({ events }) => events.findLast(({ type }) => type === "usage")?.usage.memory < 600,
  },
  maxSteps: {
    value: 2,
    script: (_request, number) =>
      number < 3 ? { toolCalls: [call("read_notepad", {}, `${number}`)] } : done,
    input: ["Read it."],
    seen: ({ events }) => events.some(({ type, end }) => type === "result" && end === "steps"),
  },
  summaryInPlace: {
    value: false,
    base: { contextWindow: 24_000 },
    input: [long(3_000), "/compact"],
    seen: ({ requests }) =>
      requests.some((request) => isSummaryRequest(request) && request.tools === undefined),
  },
  ledger: {
    value: false,
    input: ["Go."],
    seen: ({ inMemory }) =>
      inMemory(async (memory) => (await (await sessionOf(memory, "chat")).calls.list()).length === 0),
  },
  "children.depth": {
    value: 1,
    base: delegating,
    script: withChildren(["a"], ({ messages }) =>
      messages.some(({ role }) => role === "tool") || JSON.stringify(messages).includes("deeper")
        ? done
        : { toolCalls: [call("spawn_session", { task: "deeper" }, "d")] },
    ),
    input: ["Delegate it."],
    seen: said("nested 1 deep"),
  },
  "children.running": {
    value: 1,
    base: delegating,
    script: withChildren(["a", "b"], () => done),
    input: ["Delegate it."],
    seen: ({ events }) => events.some(({ type, isError }) => type === "tool-result" && isError),
  },
  "children.tokens": {
    value: 1,
    base: delegating,
    script: withChildren(["a"], ({ messages }) =>
      messages.some(({ role }) => role === "tool") ? done : { toolCalls: [call("read_notepad", {}, "r")] },
    ),
    input: ["Delegate it."],
    seen: said("used more than 1 tokens"),
  },
  "children.seconds": {
    value: 1,
    base: delegating,
    script: withChildren(["a"], () => new Promise((answer) => setTimeout(() => answer(done), 1_300))),
    input: ["Delegate it."],
    seen: said("longer than 1 seconds"),
  },
  "project.compactAfterTasks": {
    value: 1,
    base: { contextWindow: 24_000 },
    script: (_request, number) =>
      [
        { toolCalls: [call("begin_task", { description: "Count" }, "b")] },
        { toolCalls: [call("end_task", { summary: "counted" }, "e")] },
      ][number] ?? done,
    input: [long(2_000), "Go on."],
    seen: happened("compaction"),
  },
};

/** Settings of the agent that `holdfast chat` runs, each in a conversation of its own. */
export const chatSettings: readonly Scenario[] = Object.entries(cases).map(
  ([name, { value, base = {}, script = () => done, input, seen }]): Scenario => ({
    name,
    entries: ["chat"],
    base,
    cases: () => ({ [name]: { value, seen: (run: Evidence) => seen(run as ChatEvidence) } }),
    run: (_entry, root) =>
      chatRun(root, {
        script: (request, number) => (isSummaryRequest(request) ? summary : script(request, number)),
        input,
      }),
  }),
);
