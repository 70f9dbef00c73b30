import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedServer } from "../../src/testing/index.ts";
import { costOf } from "./cost.ts";
import { contextOf, tokensOf } from "./request-text.ts";
import { Script } from "./script.ts";
import { makeStory, type Story, type StoryOptions, type StoryTurn } from "./story.ts";
import type { AgentTool, RunningSystem, System } from "./system.ts";

/** A story that is told to one system. */
export interface StoryResult extends StoryOptions {
  /** The subjects whose numbers are in context or found with one call at the end. */
  reached: string[];
  /** Tokens of the context in which the marks were looked for; undefined if the model never saw one. */
  tokens: number | undefined;
  /** Messages of the user that the model answered to the end, the closing question included. */
  answeredTurns: number;
  failedTurns: number;
  dollars: number;
  /** The first failure, in the system's own words. */
  failure?: string;
}

export const instructions =
  "You are a careful engineer. Work on the tasks one after another, and keep to what the user has said.";

export async function runStory(system: System, options: StoryOptions): Promise<StoryResult> {
  const { window, compactions } = options;
  const story = makeStory(options);
  const script = new Script({ story, system, window });
  const server = await startScriptedServer((request) => script.answer(request));
  const directory = mkdtempSync(join(tmpdir(), "holdfast-survival-"));
  const tools = toolsOf(story);
  const failures: string[] = [];
  let answeredTurns = 0;
  const count = (outcome: Outcome) => {
    if (outcome.failure === undefined) answeredTurns++;
    else failures.push(outcome.failure);
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
      failedInARow = outcome.failure === undefined ? 0 : failedInARow + 1;
      count(outcome);
    }
    if (!script.probed) count(await outcomeOf(probe(running, script)));
    await running.close();
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return {
    ...options,
    reached: reachedOf(story, script),
    tokens: script.probed && tokensOf(script.probed),
    answeredTurns,
    failedTurns: failures.length,
    dollars: costOf(script.seen, script.outputBytes),
    ...(failures[0] === undefined ? {} : { failure: failures[0] }),
  };
}

/** A conversation that has failed this often in a row does not fit any more: more turns would fail in the same way. */
export const hopeless = 8;

/** Why a turn has no answer; empty if it has one. */
export interface Outcome {
  failure?: string;
}

export function outcomeOf(work: Promise<Outcome>): Promise<Outcome> {
  return work.catch((error: unknown) => ({ failure: messageOf(error) }));
}

export function takeTurn(running: RunningSystem, script: Script, turn: StoryTurn): Promise<Outcome> {
  script.begin(turn);
  return send(running, script, turn.user);
}

export function probe(running: RunningSystem, script: Script): Promise<Outcome> {
  script.beginProbe();
  return send(running, script, Script.probeText);
}

/** Some systems return as if nothing had happened when a request was refused, so the model says whether it answered. */
async function send(running: RunningSystem, script: Script, text: string): Promise<Outcome> {
  await running.send(text);
  return script.isAnswered ? {} : { failure: script.refusal ?? "the turn ended without an answer" };
}

/** The subjects whose numbers the agent has in context or has found with one call. */
export function reachedOf({ marks }: Story, { probed, found }: Script): string[] {
  const context = probed ? contextOf(probed) : "";
  return marks
    .filter((mark) => context.includes(mark.number) || found.has(mark))
    .map(({ subject }) => subject);
}

/** The agent's own tool: it reads the files of the story. */
export function toolsOf({ files }: Story): AgentTool[] {
  return [
    {
      name: "view_file",
      description: "Read a file of the project.",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      execute: ({ path = "" }) => files.get(path) ?? "nothing found",
    },
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
