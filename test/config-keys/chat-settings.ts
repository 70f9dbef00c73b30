import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/index.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { call, filler, isSummaryRequest } from "../support/agent.ts";
import { type ChatEvidence, chatRun } from "./chat-run.ts";
import type { Evidence, Scenario } from "./run.ts";

interface ChatCase {
  value: unknown;
  base?: Record<string, unknown>;
  /** The model's answers. A request for a summary gets one. */
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

/** Each of the first turns writes the notepad. */
const writing =
  (...contents: string[]) =>
  (_request: ScriptedRequest, number: number) => {
    const content = number % 2 === 0 ? contents[number / 2] : undefined;
    return content === undefined ? done : { toolCalls: [call("write_notepad", { content })] };
  };

const systemHasIt = ({ requests }: ChatEvidence) =>
  JSON.stringify(requests.at(-1)?.messages[0]).includes("what was decided");

const cases: Partial<Record<SettingName, ChatCase>> = {
  placement: {
    value: "system",
    // The first write takes the hint out of the system prompt, wherever memory goes.
    script: writing("begun", "what was decided"),
    input: ["Begin.", "Write it down.", "Go on."],
    seen: systemHasIt,
  },
  contextWindow: { value: 8_000, input: [long(7_000), "Go on."], seen: happened("compaction") },
  compactAt: { value: 0.3, base: window24, input: [long(8_000), "Go on."], seen: happened("compaction") },
  keep: {
    value: 0,
    base: { ...window24, compactAt: 0.3 },
    input: [long(2_500), `${long(1_250)} zebra ${long(1_250)}`, long(2_500), "Go on."],
    seen: (run) => happened("compaction")(run) && !JSON.stringify(run.requests.at(-1)).includes("zebra"),
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
