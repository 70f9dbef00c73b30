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
  turns: number;
  failedTurns: number;
  /** Requests that did not fit the window. */
  overflows: number;
  repeatedReads: number;
  /** Bytes of the last prompt that the next one did not begin with, for all requests together. */
  prefixBytesChanged: number;
  dollars: number;
  /** How many of the story's needed names are in the context. */
  neededInContext: number;
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
  let turns = 0;
  try {
    const running = await system.open({
      url: server.url,
      window,
      instructions,
      tools,
      directory,
      durable: false,
    });
    let failedInARow = 0;
    for (const [index, turn] of [...story.turns, ...story.more].entries()) {
      if (index >= story.turns.length && script.compactions >= compactions) break;
      if (failedInARow === hopeless) break;
      turns++;
      await takeTurn(running, script, turn).then(
        () => (failedInARow = 0),
        (error: unknown) => {
          failedInARow++;
          failures.push(messageOf(error));
        },
      );
    }
    if (!script.probed) {
      script.beginProbe();
      await running.send(Script.probeText).catch((error: unknown) => failures.push(messageOf(error)));
    }
    await running.close();
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
  const context = script.probed ? contextOf(script.probed) : "";
  return {
    facts: story.facts.map((fact) => resultOf(fact, script)),
    tokens: script.probed && tokensOf(script.probed),
    neededInContext: story.needed?.filter((name) => context.includes(name)).length ?? 0,
    compacted: script.compactions,
    turns,
    failedTurns: failures.length,
    overflows: script.overflows,
    repeatedReads: script.repeatedReads,
    ...costOf(script.requests, script.outputCharacters),
    ...(failures[0] === undefined ? {} : { failure: failures[0] }),
  };
}

/** A conversation that has failed this often in a row does not fit any more: more turns would fail in the same way. */
const hopeless = 8;

async function takeTurn(running: RunningSystem, script: Script, turn: StoryTurn): Promise<void> {
  if (turn.isEdit && running.edit) return running.edit(turn.user);
  script.begin(turn);
  await running.send(turn.user);
}

function resultOf(fact: Fact, { probed, found }: Script): FactResult {
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
