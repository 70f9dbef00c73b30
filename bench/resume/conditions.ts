import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type HookOptions, runHooks } from "./claude-code.ts";
import {
  contextFromAgent,
  contextFromLangchain,
  contextFromPruning,
  runDeepAgents,
  runMastra,
} from "./others.ts";
import { lastMessage } from "./stories.ts";

/** Texts that models wrote for the memories, one for each compaction. Mastra's observer writes observations. */
export type TextKind = "summary" | "notepad" | "plan" | "observation";
export type Written = Record<TextKind, readonly string[]>;

export interface Condition {
  id: string;
  /** As the page shows it. */
  title: string;
  /** After how many compactions it is read. */
  compactions: readonly number[];
  /** The texts that a model has to write first. */
  needs: readonly TextKind[];
  context(compactions: number, written: Written): Promise<string>;
  /** The next request of the memory to its own model, until the model has answered all of them. */
  request?(written: Written): Promise<{ prompt: string; input: string } | undefined>;
  /** A search in the removed conversation: the reader writes the calls before it sees a result. */
  tool?: {
    description: string;
    results(compactions: number, written: Written, queries: readonly string[]): Promise<string[]>;
  };
  /** From packages that `npm install` does not bring. */
  isPeer?: true;
}

/** The summary as Claude Code shows it. */
function withSummary(summaries: readonly string[], context: string): string {
  const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${summaries.at(-1)}`;
  return context === "" ? summary : `${summary}\n\n${context}`;
}

/** Each context ends with the user's last message, which an agent always has. */
const withLast = (context: string) => `${context}\n\nUSER: ${lastMessage}`.trimStart();

async function fromHook(compactions: number, options: HookOptions): Promise<string> {
  return withLast((await runHooks(compactions, options)).context);
}

async function asInstalled(compactions: number, { summary, notepad }: Written): Promise<string> {
  return withLast(withSummary(summary, (await runHooks(compactions, { notepads: notepad })).context));
}

/** With a fault in Holdfast, in a process of its own. */
function planted(fault: string, compactions: number, options: HookOptions): string {
  const [plant = "", script = ""] = ["planted.ts", "planted-contexts.ts"].map((name) =>
    join(import.meta.dirname, name),
  );
  const output = execFileSync(process.execPath, ["--import", plant, script], {
    env: { ...process.env, HOLDFAST_PLANT: fault },
    input: JSON.stringify({ compactions, options }),
    encoding: "utf8",
  });
  return withLast(output);
}

const first: readonly Condition[] = [
  {
    id: "nothing",
    title: "nothing: the last message",
    compactions: [3],
    needs: [],
    context: async () => withLast(""),
  },
  {
    id: "names-only",
    title: "planted: a handoff of names only",
    compactions: [3],
    needs: [],
    context: async (compactions) => planted("names", compactions, {}),
  },
  {
    id: "no-notepad",
    title: "planted: the notepad is not restored",
    compactions: [3],
    needs: ["notepad"],
    context: async (compactions, { notepad }) =>
      planted("notepad", compactions, { notepads: notepad, handoff: false }),
  },
  {
    id: "no-words",
    title: "planted: a handoff without the user's words",
    compactions: [3],
    needs: [],
    context: async (compactions) => planted("words", compactions, {}),
  },
  {
    id: "handoff",
    title: "Holdfast's handoff alone",
    compactions: [3, 10],
    needs: [],
    context: (compactions) => fromHook(compactions, {}),
  },
  {
    id: "agent-fails",
    title: "Holdfast's agent, the summarizer fails",
    compactions: [3],
    needs: [],
    context: contextFromAgent,
  },
  {
    id: "langchain-fails",
    title: "LangChain, the summarizer fails",
    compactions: [3],
    needs: [],
    context: (compactions) => contextFromLangchain(compactions, undefined),
  },
  {
    id: "prune",
    title: "AI SDK pruneMessages",
    compactions: [3],
    needs: [],
    context: async () => contextFromPruning(),
  },
  {
    id: "notepad",
    title: "Holdfast's notepad alone",
    compactions: [3, 10],
    needs: ["notepad"],
    context: (compactions, { notepad }) => fromHook(compactions, { notepads: notepad, handoff: false }),
  },
  {
    id: "summary",
    title: "a summary",
    compactions: [3, 10],
    needs: ["summary"],
    context: async (_compactions, { summary }) => withLast(withSummary(summary, "")),
  },
  {
    id: "langchain",
    title: "LangChain summarizationMiddleware",
    compactions: [3],
    needs: ["summary"],
    context: (compactions, { summary }) => contextFromLangchain(compactions, summary),
  },
  {
    id: "planning",
    title: "a summary and planning files",
    compactions: [3],
    needs: ["summary", "plan"],
    context: async (_compactions, { summary, plan }) => withLast(withSummary(summary, plan.at(-1) ?? "")),
  },
  {
    id: "mastra",
    title: "Mastra's observational memory",
    compactions: [10],
    needs: ["observation"],
    isPeer: true,
    request: async ({ observation }) => runMastra(observation).request,
    context: async (_compactions, { observation }) => runMastra(observation).context,
  },
  {
    id: "holdfast",
    title: "a summary and Holdfast, without recall",
    compactions: [3, 10],
    needs: ["summary", "notepad"],
    context: asInstalled,
  },
  {
    id: "deepagents",
    title: "deepagents and grep in its history",
    compactions: [10],
    needs: ["summary"],
    isPeer: true,
    context: async (compactions, { summary }) =>
      runDeepAgents({ compactions, summaries: summary, queries: [] }).context,
    tool: {
      description:
        "grep: Search for a literal text pattern in the file with the conversation history. Returns the lines that contain it.",
      results: async (compactions, { summary }, queries) =>
        runDeepAgents({ compactions, summaries: summary, queries }).found,
    },
  },
  {
    id: "recall",
    title: "a summary and Holdfast as installed",
    compactions: [3, 10],
    needs: ["summary", "notepad"],
    context: asInstalled,
    tool: {
      description:
        "recall: Search the conversation that was compacted away. Look here before you ask the user again or repeat work. `query`: words to look for.",
      results: async (compactions, { notepad }, queries) =>
        (await runHooks(compactions, { notepads: notepad, queries })).found,
    },
  },
];

/** Read a second time: both readings have to lie within their spread. */
const repeated = ["summary", "holdfast"];

export const conditions: readonly Condition[] = [
  ...first,
  ...first
    .filter(({ id }) => repeated.includes(id))
    .map((condition) => ({
      ...condition,
      id: `${condition.id}-again`,
      title: `${condition.title}, read again`,
      compactions: [3],
    })),
];
