import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { contextFromHook, type HookOptions } from "./claude-code.ts";
import { contextFromAgent, contextFromLangchain, contextFromPruning } from "./others.ts";
import { lastMessage, stories } from "./stories.ts";
import type { Story } from "./story.ts";

/** Summaries and notepads that a model wrote, one for each compaction. */
export interface Written {
  summaries: readonly string[];
  notepads: readonly string[];
}

export interface Condition {
  id: string;
  /** As the page shows it. */
  title: string;
  /** After how many compactions it is read. */
  compactions: readonly number[];
  /** The texts that a model has to write first. */
  needs: readonly (keyof Written)[];
  context(story: Story, compactions: number, written: Written): Promise<string>;
}

/** A fault that is planted into Holdfast: readers have to find it. */
interface PlantedCondition extends Omit<Condition, "context"> {
  plant: string;
  options(written: Written): HookOptions;
}

/** The summary as Claude Code shows it. */
function withSummary(summaries: readonly string[], context: string): string {
  const summary = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${summaries.at(-1)}`;
  return context === "" ? summary : `${summary}\n\n${context}`;
}

/** Each context ends with the user's last message, which an agent always has. */
const asked = (story: Story, context: string) => `${context}\n\nUSER: ${lastMessage(story)}`.trimStart();

const hook = (
  story: Story,
  compactions: number,
  options: HookOptions = {},
  summaries?: readonly string[],
): Promise<string> =>
  contextFromHook(story, compactions, options).then((context) =>
    asked(story, summaries ? withSummary(summaries, context) : context),
  );

const own: readonly Condition[] = [
  {
    id: "nothing",
    title: "nothing: the last message",
    compactions: [1],
    needs: [],
    context: async (story) => asked(story, ""),
  },
  {
    id: "handoff",
    title: "Holdfast's handoff alone",
    compactions: [1, 3],
    needs: [],
    context: (story, compactions) => hook(story, compactions),
  },
  {
    id: "notepad",
    title: "Holdfast's notepad alone",
    compactions: [1, 3],
    needs: ["notepads"],
    context: (story, compactions, { notepads }) => hook(story, compactions, { notepads, handoff: false }),
  },
  {
    id: "summary",
    title: "a summary",
    compactions: [1, 3],
    needs: ["summaries"],
    context: async (story, _compactions, { summaries }) => asked(story, withSummary(summaries, "")),
  },
  {
    id: "summary-handoff",
    title: "a summary and Holdfast's handoff",
    compactions: [1, 3],
    needs: ["summaries"],
    context: (story, compactions, { summaries }) => hook(story, compactions, {}, summaries),
  },
  {
    id: "holdfast",
    title: "a summary and Holdfast as installed",
    compactions: [1, 3],
    needs: ["summaries", "notepads"],
    context: (story, compactions, { summaries, notepads }) =>
      hook(story, compactions, { notepads }, summaries),
  },
  {
    id: "langchain",
    title: "LangChain summarizationMiddleware",
    compactions: [1, 3],
    needs: ["summaries"],
    context: (story, compactions, { summaries }) => contextFromLangchain(story, compactions, summaries),
  },
  {
    id: "prune",
    title: "AI SDK pruneMessages",
    compactions: [1],
    needs: [],
    context: async (story) => contextFromPruning(story),
  },
  {
    id: "langchain-fails",
    title: "LangChain, the summarizer fails",
    compactions: [3],
    needs: [],
    context: (story, compactions) => contextFromLangchain(story, compactions, undefined),
  },
  {
    id: "agent-fails",
    title: "Holdfast's agent, the summarizer fails",
    compactions: [3],
    needs: [],
    context: contextFromAgent,
  },
];

const faulty: readonly PlantedCondition[] = [
  {
    id: "no-words",
    title: "planted: a handoff without the user's words",
    compactions: [1],
    needs: [],
    plant: "words",
    options: () => ({}),
  },
  {
    id: "names-only",
    title: "planted: a handoff of names only",
    compactions: [1],
    needs: [],
    plant: "names",
    options: () => ({}),
  },
  {
    id: "no-notepad",
    title: "planted: the notepad is not restored",
    compactions: [1],
    needs: ["notepads"],
    plant: "notepad",
    options: ({ notepads }) => ({ notepads, handoff: false }),
  },
];

/** Read by a second reader as well: two readings have to lie within their spread. */
const repeated = ["handoff", "summary", "summary-handoff"];

export const conditions: readonly (Condition | PlantedCondition)[] = [
  ...own,
  ...faulty,
  ...own
    .filter(({ id }) => repeated.includes(id))
    .map((condition) => ({
      ...condition,
      id: `${condition.id}-again`,
      title: `${condition.title}, another reader`,
      compactions: [3],
    })),
];

/** The context of each story. Faults are planted in one process for all of them. */
export async function contextsOf(
  condition: Condition | PlantedCondition,
  compactions: number,
  writtenFor: (story: string) => Written,
): Promise<Record<string, string>> {
  if (!("plant" in condition)) {
    const contexts: Record<string, string> = {};
    // One after another: each hook gets a state folder of its own.
    for (const story of stories)
      contexts[story.id] = await condition.context(story, compactions, writtenFor(story.id));
    return contexts;
  }
  const options = Object.fromEntries(stories.map(({ id }) => [id, condition.options(writtenFor(id))]));
  const [plant = "", script = ""] = ["planted.ts", "planted-contexts.ts"].map((name) =>
    join(import.meta.dirname, name),
  );
  const output = execFileSync(process.execPath, ["--import", plant, script], {
    env: { ...process.env, HOLDFAST_PLANT: condition.plant },
    input: JSON.stringify({ compactions, options }),
    encoding: "utf8",
  });
  const contexts = JSON.parse(output) as Record<string, string>;
  return Object.fromEntries(stories.map((story) => [story.id, asked(story, contexts[story.id] ?? "")]));
}

export function storyNamed(id: string): Story {
  const found = stories.find((story) => story.id === id);
  if (!found)
    throw new Error(`There is no story "${id}". There are: ${stories.map((each) => each.id).join(", ")}.`);
  return found;
}
