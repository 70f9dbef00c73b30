import { existsSync } from "node:fs";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { readWorkspaceConfig, type WorkspaceConfig } from "../../workspace/config.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { keepFailure } from "../failures.ts";
import type { Host } from "../host.ts";
import { projectOfGone } from "../session-link.ts";
import { endsCompaction, type HookEvent, readHookEvent } from "./event.ts";
import { LateAnswer, runHook } from "./run-hook.ts";
import { noteMissed } from "./state.ts";

/** The input from a host. */
export interface SentEvent {
  payload: Record<string, unknown>;
  /** The options of the command that name a store. */
  flags: StoreFlags;
}

export interface HookCallParts {
  /** The host's name as the caller gave it. */
  name: string;
  host: Host | undefined;
  project: Project;
  /** When the host began to wait, in milliseconds since 1970. */
  since: number;
  /** Gets the answer, once. */
  print(text: string): void;
  /** Gets the first failure. A server has nowhere to show it. */
  warn?(line: string): void;
  /** Called after the deadline, with everything recorded, although the work may still hang. */
  giveUp?(): void;
}

/**
 * One call of a hook, by a process or by our server. It answers once, and at its deadline in any case: the only one that
 * the agent waits for. Everything that waits inside, such as for a locked store, ends before it or is left behind.
 */
export class HookCall {
  readonly #parts: HookCallParts;
  #project: Project;
  #config: WorkspaceConfig;
  #event: HookEvent | undefined;
  #isAnswered = false;
  /** The deadline has passed. */
  #isOver = false;
  /** Whether the answer came from the work, not from its deadline or failure. */
  #isAnsweredByWork = false;
  #isReported = false;
  /** Everything that later events need is written. */
  #isRecorded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HookCallParts) {
    this.#parts = parts;
    this.#project = parts.project;
    this.#config = readWorkspaceConfig(this.#project);
    this.#setDeadline();
  }

  /** Answers the event that `read` returns. Never fails: memory must not block an agent. */
  async answer(
    read: () => Promise<SentEvent>,
    onEvent: (event: HookEvent) => void = () => {},
  ): Promise<void> {
    try {
      await this.#work(await read(), onEvent);
    } catch (error) {
      // The deadline is reported.
      if (!(error instanceof LateAnswer)) this.#fail(error);
    }
    this.#end();
  }

  async #work({ payload, flags }: SentEvent, onEvent: (event: HookEvent) => void): Promise<void> {
    const { host } = this.#parts;
    if (!host) return;
    if (typeof payload.cwd === "string" && payload.cwd !== "" && payload.cwd !== process.cwd()) {
      this.#project = existsSync(payload.cwd) ? findProject(payload.cwd) : projectOfGone(payload.cwd);
      this.#config = readWorkspaceConfig(this.#project);
      this.#setDeadline();
    }
    // Our server reported them when it started.
    if (this.#config.problems.length > 0 && this.#parts.warn) await this.#reportConfig();
    const event = readHookEvent(host, payload);
    this.#event = event;
    onEvent(event);
    await runHook({
      event,
      project: this.#project,
      config: this.#config,
      flags,
      answer: (reply) => {
        if (this.#isOver) throw new LateAnswer();
        if (this.#isAnswered) throw new Error(`The event ${event.name} was answered twice.`);
        this.#isAnsweredByWork = true;
        this.#print(host.formatAnswer(event, reply));
      },
      fail: (error, code) => this.#fail(error, code),
      recorded: () => {
        this.#isRecorded = true;
      },
    });
  }

  /** Waits for nothing pending, such as a lock or an endless pipe. */
  #setDeadline(): void {
    clearTimeout(this.#timer);
    const { hookDeadline } = this.#config;
    const left = Math.max(0, this.#parts.since + hookDeadline - Date.now());
    this.#timer = setTimeout(() => {
      const stage = this.#event ? `${this.#event.name} was not finished` : "The event could not be read";
      this.#isOver = true;
      // First of all: recording the failure may hang too.
      this.#end();
      this.#fail(
        new HoldfastError(
          "store_busy",
          `${stage} within ${hookDeadline} ms, so the agent continues without it. Check which process is using ${this.#project.directory}.`,
        ),
        "deadline",
      );
      this.#parts.giveUp?.();
    }, left);
  }

  /** Settings that cannot be used: their defaults apply. */
  async #reportConfig(): Promise<void> {
    const { explainProblems } = await import("../../workspace/config-file.ts");
    for (const problem of await explainProblems(this.#config))
      this.#fail(new HoldfastError("invalid_input", problem));
  }

  /** Shows the first failure, and records all of them for `holdfast doctor`. */
  #fail(error: unknown, code = error instanceof HoldfastError ? error.code : "internal"): void {
    const message = oneLine(error instanceof Error ? error.message : String(error));
    if (!this.#isReported) this.#parts.warn?.(message);
    this.#isReported = true;
    const event = this.#event?.name ?? "";
    keepFailure(this.#project.directory, { at: Date.now(), host: this.#parts.name, event, code, message });
    if (code === "deadline" || code === "store_busy") this.#noteMissed();
  }

  /** A compaction that was not recorded is made up for by the next event of the conversation. */
  #noteMissed(): void {
    const event = this.#event;
    if (!event || !endsCompaction(event) || this.#isRecorded) return;
    try {
      noteMissed(this.#project.directory, event.host.name, event.hostSession, this.#isAnsweredByWork);
    } catch {
      // The failure is reported; a place that cannot be written cannot keep this either.
    }
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#print(this.#parts.host?.emptyAnswer ?? "{}");
  }

  #print(text: string): void {
    if (this.#isAnswered) return;
    this.#parts.print(text);
    this.#isAnswered = true;
  }
}
