import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startScriptedServer } from "../../src/testing/index.ts";
import { errorIn } from "./error-in.ts";
import { judge } from "./facts.ts";
import type { ChildOptions, Command } from "./kill-child.ts";
import { inLanes } from "./lanes.ts";
import { contextOf } from "./request-text.ts";
import { Script } from "./script.ts";
import { makeStory, type StoryOptions } from "./stories.ts";
import type { Story } from "./story.ts";
import { summarisers } from "./summarisers.ts";
import type { RequestKind, System } from "./system.ts";

/** What a process that was killed in a phase leaves to the next one. */
export interface KillResult {
  phase: string;
  /** The next process goes on, and has every fact that it would have without the kill. */
  survived: boolean;
  /** Facts in the context or one call away: without the kill, and after it. */
  without: number;
  after: number;
  problem?: string;
}

interface Phase {
  name: string;
  /** Kill when this request arrives, before it is answered. */
  on?: (kind: RequestKind, script: Script) => boolean;
  /** Or while this turn's file is read. */
  inToolOfTurn?: number;
  /** Or after this turn. */
  afterTurn?: number;
}

const maxError = 4_000;

/** A process that is killed once needs two; one that ends by itself gets one more. */
const maxLives = 3;

/** The last turn with facts is the one before. */
const turn = 6;

const phases: readonly Phase[] = [
  { name: "while it waits for an answer", on: (kind, { begun }) => kind === "turn" && begun === turn },
  { name: "during a tool", inToolOfTurn: turn },
  { name: "between two turns", afterTurn: turn },
  { name: "while it waits for a summary", on: (kind) => kind === "summary" },
  {
    name: "in the first request after a summary",
    on: (kind, { summaries }) => kind === "turn" && summaries > 0,
  },
];

const killed = { kind: "every", compactions: 1, window: 16_000 } as const;

/** Kills a system once in every phase, starts it again, and compares with a run that is not killed. */
export async function runKills(id: string, system: System, seed: number): Promise<KillResult[]> {
  const options = { ...killed, seed };
  const whole = await runWithKill(id, system, options);
  if (whole.problem !== undefined) throw new Error(whole.problem);
  const possible = phases.filter(({ name }) => !name.includes("summary") || system.summarises !== false);
  return inLanes(possible, lanes, async (phase): Promise<KillResult> => {
    const { reached, problem } = await runWithKill(id, system, options, phase);
    const missed = whole.reached.filter((fact) => !reached.includes(fact));
    return {
      phase: phase.name,
      survived: missed.length === 0 && whole.reached.length > 0 && problem === undefined,
      without: whole.reached.length,
      after: reached.length,
      ...(problem === undefined ? {} : { problem }),
    };
  });
}

/** Phases at a time: most of each is waiting for processes to start. */
const lanes = 2;

interface Life {
  process: ChildProcess;
  /** The error that it ended with, if it has written one. */
  error(): string;
  next(): Promise<string | undefined>;
}

async function runWithKill(
  id: string,
  system: System,
  options: StoryOptions,
  phase?: Phase,
): Promise<{ reached: string[]; problem?: string }> {
  const story = makeStory(options);
  const summariser = summarisers.find(({ name }) => name === "S1");
  if (!summariser) throw new Error("There is no summariser S1.");
  const directory = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  const script = new Script({ ...options, story, summariser, system, takesNotes: true });
  let life: Life | undefined;
  let isKilled = false;
  let lives = 1;
  const kill = () => {
    isKilled = true;
    life?.process.kill("SIGKILL");
  };
  const server = await startScriptedServer((request) => {
    if (!isKilled && phase?.on?.(script.kindOf(request), script)) {
      kill();
      return { hangUp: true };
    }
    return script.answer(request);
  });
  const deadlyFile =
    phase?.inToolOfTurn === undefined ? undefined : story.turns[phase.inToolOfTurn]?.steps.at(-1)?.input.path;
  const child = { ...options, id, url: server.url, directory };
  try {
    life = start({ ...child, ...(deadlyFile === undefined ? {} : { deadlyFile }) });
    await ready(life);
    const turns = [...story.turns, ...story.more];
    for (let index = 0; index < turns.length; ) {
      if (index >= story.turns.length && script.compactions > 0) break;
      const answer = await take(life, script, story, index);
      if (answer !== undefined) index++;
      if (phase?.afterTurn === index && !isKilled) kill();
      if (answer === undefined || (isKilled && life.process.killed)) {
        if (++lives > maxLives) return { reached: [], problem: `it ends again and again: ${life.error()}` };
        // The user says it again to the next process, which finds what the first one has kept.
        isKilled = true;
        life = start(child);
        await ready(life);
      }
    }
    script.beginProbe();
    const probed = await say(life, { send: Script.probeText });
    if (probed !== "done") return { reached: [], problem: probed ?? "the process ended" };
    return { reached: reachedFacts(script, story) };
  } catch (error) {
    return { reached: [], problem: error instanceof Error ? error.message : String(error) };
  } finally {
    life?.process.kill("SIGKILL");
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function take(
  life: Life,
  script: Script,
  { turns, more }: Story,
  index: number,
): Promise<string | undefined> {
  const next = [...turns, ...more][index];
  if (!next) throw new Error(`The story has no turn ${index}.`);
  script.begin(next);
  return say(life, next.isEdit ? { edit: next.user } : { send: next.user });
}

function start(child: ChildOptions): Life {
  const started = spawn(
    process.execPath,
    [join(import.meta.dirname, "kill-child.ts"), JSON.stringify(child)],
    { stdio: ["pipe", "pipe", "pipe"] },
  );
  // Writing to a process that was just killed fails.
  started.stdin.on("error", () => {});
  let written = "";
  started.stderr.on("data", (data: Buffer) => {
    written = `${written}${data.toString("utf8")}`.slice(0, maxError);
  });
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  return {
    process: started,
    error: () => errorIn(written),
    next: async () => (await lines.next()).value as string | undefined,
  };
}

async function ready(life: Life): Promise<void> {
  for (let line = await life.next(); line !== "ready"; line = await life.next())
    if (line === undefined) throw new Error(`It could not be started. ${life.error()}`);
}

/** "done", "failed: …", or undefined if the process was killed before it answered. */
async function say({ process: child, next }: Life, command: Command): Promise<string | undefined> {
  child.stdin?.write(`${JSON.stringify(command)}\n`);
  for (let line = await next(); line !== undefined; line = await next())
    if (line === "done" || line.startsWith("failed: ")) return line;
  return undefined;
}

function reachedFacts({ probed, found }: Script, { facts }: Story): string[] {
  const context = probed ? contextOf(probed) : "";
  return facts
    .filter((fact) => judge(context, fact).bound || found.get(fact.id) === "one call")
    .map(({ id }) => id);
}
