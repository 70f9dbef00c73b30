import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScriptedServer, startScriptedServer } from "../../src/testing/index.ts";
import type { KillHost } from "./kill-host.ts";
import { hopeless, type Outcome, outcomeOf, probe, reachedOf, takeTurn } from "./run-story.ts";
import { Script } from "./script.ts";
import { makeStory, type Story, type StoryOptions, type StoryTurn } from "./story.ts";
import type { RequestKind, RunningSystem, System } from "./system.ts";

/** The phase in which a process is killed. */
export const phases = [
  "while it waits for an answer",
  "during a tool",
  "between two turns",
  "while it waits for a summary",
  "in the first request after a summary",
] as const;

type Phase = (typeof phases)[number];

/** A kill in the first such phase from a turn of the story on. */
export interface Kill {
  phase: Phase;
  from: number;
}

/** One kill in every phase that the system has, spread over the story, after the marks are said. */
export function planKills({ marks, turns }: Story, { summarises }: System): Kill[] {
  const apart = Math.max(1, Math.floor((turns.length - marks.length) / phases.length));
  return phases
    .filter((phase) => summarises !== false || !phase.includes("summary"))
    .map((phase, index) => ({ phase, from: marks.length + index * apart }));
}

/** A conversation that was killed, at its end. */
export interface KilledRun extends StoryOptions {
  /** How often it was to be killed, and how often it was. */
  planned: number;
  kills: number;
  /** The subjects whose numbers are in context or found with one call. */
  reached: string[];
  /** The first failure after a kill. */
  problem?: string;
}

/** A process that ends by itself, more often than this, cannot go on. */
const maxCrashes = 3;

/**
 * A conversation whose process is killed again and again. It halts in the phase of each kill: the model gives no answer,
 * or a tool does not return, until the process is gone. The next process goes on with what the last one has kept.
 */
export class KilledConversation {
  readonly #options: StoryOptions;
  readonly #story: Story;
  readonly #script: Script;
  readonly #plan: Kill[];
  readonly #planned: number;
  #kills = 0;
  /** The first failure after a kill. */
  #problem: string | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), "holdfast-kill-"));
  #server: ScriptedServer | undefined;
  #starts = 0;
  #crashes = 0;
  #turn = 0;
  #isTurnBegun = false;
  #failedInARow = 0;
  /** Set while a process may go on. */
  #halt: (() => void) | undefined;

  constructor(system: System, options: StoryOptions, plan?: readonly Kill[]) {
    this.#options = options;
    this.#story = makeStory(options);
    this.#script = new Script({ story: this.#story, system, window: options.window });
    this.#plan = [...(plan ?? planKills(this.#story, system))];
    this.#planned = this.#plan.length;
  }

  result(): KilledRun {
    return {
      ...this.#options,
      planned: this.#planned,
      kills: this.#kills,
      reached: reachedOf(this.#story, this.#script),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Goes on in this process, up to the next kill or to the end. True at the end. */
  async play(host: KillHost): Promise<boolean> {
    const halted = Promise.withResolvers<boolean>();
    this.#halt = () => {
      this.#halt = undefined;
      this.#plan.shift();
      this.#kills++;
      halted.resolve(false);
    };
    return Promise.race([halted.promise, this.#goOn(host)]);
  }

  async close(): Promise<void> {
    await this.#server?.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #goOn(host: KillHost): Promise<boolean> {
    try {
      const running = await this.#open(host);
      while (this.#hasMore()) {
        if (this.#isDue("between two turns")) return this.#waitForKill();
        await this.#takeTurn(host, running);
      }
      if (!this.#script.probed) this.#note(host, await outcomeOf(probe(running, this.#script)));
      return true;
    } catch (error) {
      if (host.hasEnded) return this.#hasCrashed(host);
      this.#problem = error instanceof Error ? error.message : String(error);
      return true;
    }
  }

  async #open(host: KillHost): Promise<RunningSystem> {
    this.#server ??= await startScriptedServer((request) => {
      const isDue = this.#halt !== undefined && this.#isDueIn(this.#script.kindOf(request));
      if (isDue) this.#halt?.();
      return this.#halt === undefined ? new Promise(() => {}) : this.#script.answer(request);
    });
    const [kill] = this.#plan;
    const turn = kill?.phase === "during a tool" ? this.#turnAt(Math.max(kill.from, this.#turn)) : undefined;
    return host.open(
      {
        story: this.#options,
        url: this.#server.url,
        directory: this.#directory,
        earlierStarts: this.#starts++,
        ...(turn ? { deadlyFile: turn.path } : {}),
      },
      () => this.#halt?.(),
    );
  }

  #hasMore(): boolean {
    const { turns } = this.#story;
    if (this.#script.probed || this.#failedInARow === hopeless || !this.#turnAt(this.#turn)) return false;
    const isEnough = this.#script.compactions >= this.#options.compactions && this.#plan.length === 0;
    return this.#turn < turns.length || !isEnough;
  }

  #turnAt(index: number): StoryTurn | undefined {
    const { turns, more } = this.#story;
    return turns[index] ?? more[index - turns.length];
  }

  /** A turn that a kill cut off is said again, unless the system has finished it by itself when it was opened. */
  async #takeTurn(host: KillHost, running: RunningSystem): Promise<void> {
    const turn = this.#turnAt(this.#turn);
    if (!turn) return;
    if (!this.#isTurnBegun || !this.#script.isAnswered) {
      this.#isTurnBegun = true;
      this.#note(host, await outcomeOf(takeTurn(running, this.#script, turn)));
    }
    this.#isTurnBegun = false;
    this.#turn++;
  }

  #note(host: KillHost, outcome: Outcome): void {
    // The turn did not fail: its process is gone.
    if (host.hasEnded) throw new Error(host.error());
    const { failure } = outcome;
    this.#failedInARow = failure === undefined ? 0 : this.#failedInARow + 1;
    if (this.#kills > 0) this.#problem ??= failure;
  }

  #isDueIn(kind: RequestKind): boolean {
    if (kind === "summary") return this.#isDue("while it waits for a summary");
    if (kind !== "turn") return false;
    return (
      this.#isDue("while it waits for an answer") ||
      (this.#script.isSummarised && this.#isDue("in the first request after a summary"))
    );
  }

  #isDue(phase: Phase): boolean {
    const [next] = this.#plan;
    return next?.phase === phase && this.#turn >= next.from;
  }

  #waitForKill(): Promise<boolean> {
    this.#halt?.();
    return new Promise(() => {});
  }

  #hasCrashed(host: KillHost): boolean {
    if (this.#halt === undefined || ++this.#crashes <= maxCrashes) return false;
    this.#problem = `it ends again and again: ${host.error()}`;
    return true;
  }
}
