import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { costOf } from "./cost.ts";
import { type Fact, judge } from "./facts.ts";
import { contextOf, tokensOf } from "./request-text.ts";
import { Script } from "./script.ts";
import type { Story, StoryTurn } from "./story.ts";
import type { Summariser } from "./summarisers.ts";
import type { AgentTool, RunningSystem, System } from "./system.ts";

/** Where a fact is for the agent. */
export type Reach = "context" | "one call" | "further" | "lost";

export interface FactResult {
  id: string;
  reach: Reach;
  hadOtherValue: boolean;
  stale: boolean;
  isEndedWork: boolean;
  resurrected: boolean;
}

export interface StoryResult {
  facts: FactResult[];
  /** Tokens of the context in which the facts were looked for; undefined if the model never saw one. */
  tokens: number | undefined;
  /** How often the system compacted, as the model sees it. */
  compacted: number;
  /** Messages of the user that the model answered to the end, the closing question included. */
  answeredTurns: number;
  failedTurns: number;
  /** Requests that did not fit the window. */
  overflows: number;
  repeatedReads: number;
  /** Bytes of a turn's prompt that the next prompt of a turn did not begin with, for all of them together. */
  prefixBytesChanged: number;
  dollars: number;
  /** The first failure, in the system's own words. */
  failure?: string;
}

export interface RunOptions {
  summariser: Summariser;
  window: number;
  compactions: number;
  takesNotes?: boolean;
}

export const instructions =
  "You are a careful engineer. Work on the tasks one after another, and keep to what the user has said.";

export async function runStory(system: System, story: Story, options: RunOptions): Promise<StoryResult> {
  const { summariser, window, compactions, takesNotes = false } = options;
  const script = new Script({ story, summariser, system, window, compactions, takesNotes });
  const server = await startScriptedServer((request) => script.answer(request));
  const directory = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
  const tools = toolsOf(story);
  const failures: string[] = [];
  let answeredTurns = 0;
  const count = (outcome: Outcome) => {
    if ("failure" in outcome) failures.push(outcome.failure);
    else if (outcome.isTurn) answeredTurns++;
  };
  try {
    const running = await system.open({
      url: server.url,
      window,
      instructions,
      tools,
      directory,
      durable: false,
      earlierStarts: 0,
    });
    let failedInARow = 0;
    for (const [index, turn] of [...story.turns, ...story.more].entries()) {
      if (index >= story.turns.length && script.compactions >= compactions) break;
      if (failedInARow === hopeless) break;
      const outcome = await outcomeOf(takeTurn(running, script, turn));
      failedInARow = "failure" in outcome ? failedInARow + 1 : 0;
      count(outcome);
    }
    if (!script.probed) count(await outcomeOf(probe(running, script)));
    await running.close();
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return {
    facts: story.facts.map((fact) => resultOf(fact, script)),
    tokens: script.probed && tokensOf(script.probed),
    compacted: script.compactions,
    answeredTurns,
    failedTurns: failures.length,
    overflows: script.overflows,
    repeatedReads: script.repeatedReads,
    ...costOf(script.seen, script.outputBytes),
    ...(failures[0] === undefined ? {} : { failure: failures[0] }),
  };
}

/** A conversation that has failed this often in a row does not fit any more: more turns would fail in the same way. */
export const hopeless = 8;

/** `isTurn` is false where a person edits memory: the model is not asked, so it is not a turn that could be divided by. */
export type Outcome = { failure: string } | { isTurn: boolean };

export function outcomeOf(work: Promise<Outcome>): Promise<Outcome> {
  return work.catch((error: unknown) => ({ failure: messageOf(error) }));
}

export async function takeTurn(running: RunningSystem, script: Script, turn: StoryTurn): Promise<Outcome> {
  if (turn.isEdit && running.edit) {
    await running.edit(turn.user);
    return { isTurn: false };
  }
  script.begin(turn);
  return send(running, script, turn.user);
}

/** For a turn that broke off. */
export function goOn(running: RunningSystem, script: Script, text: string): Promise<Outcome> {
  script.goOn(text);
  return send(running, script, text);
}

export function probe(running: RunningSystem, script: Script): Promise<Outcome> {
  script.beginProbe();
  return send(running, script, Script.probeText);
}

/** Some systems return as if nothing had happened when a request was refused, so the model reports whether it answered. */
async function send(running: RunningSystem, script: Script, text: string): Promise<Outcome> {
  await running.send(text);
  return script.isAnswered
    ? { isTurn: true }
    : { failure: script.refusal ?? "the turn ended without an answer" };
}

/** Whether the agent has the fact in context or can retrieve it. */
export function isWithinOneCall({ reach }: FactResult): boolean {
  return reach === "context" || reach === "one call";
}

export function resultOf(fact: Fact, { probed, found }: Script): FactResult {
  const { bound, ...flaws } = judge(probed ? contextOf(probed) : "", fact);
  return {
    id: fact.id,
    reach: bound ? "context" : (found.get(fact.id) ?? "lost"),
    hadOtherValue: fact.old !== undefined,
    isEndedWork: fact.status !== undefined && fact.status !== "open",
    ...flaws,
  };
}

/** The agent's own tools: their results are those of the story. */
export function toolsOf({ turns, more, files }: Story): AgentTool[] {
  const results = new Map<string, string>(
    [...turns, ...more].flatMap(({ steps }) =>
      steps.map(({ tool, input, result }) => [`${tool} ${JSON.stringify(input)}`, result] as const),
    ),
  );
  const define = (name: string, description: string, parameter: string): AgentTool => ({
    name,
    description,
    parameters: {
      type: "object",
      properties: { [parameter]: { type: "string" } },
      required: [parameter],
    },
    execute: (input) =>
      (name === "view_file" ? files.get(input.path ?? "") : undefined) ??
      results.get(`${name} ${JSON.stringify({ [parameter]: input[parameter] })}`) ??
      "nothing found",
  });
  return [
    define("view_file", "Read a file of the project.", "path"),
    define("run_command", "Run a command.", "command"),
    define("start_agent", "Start a helper in the background.", "task"),
    define("check_agent", "Ask what a helper has done.", "agent"),
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
