import { existsSync, writeSync } from "node:fs";
import { isObject } from "../../engine/json.ts";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { keepFailure } from "../../hosts/failures.ts";
import { endsCompaction, type HookEvent, readHookEvent } from "../../hosts/hook/event.ts";
import { runHook } from "../../hosts/hook/run-hook.ts";
import { noteMissed } from "../../hosts/hook/state.ts";
import type { Host } from "../../hosts/host.ts";
import { findHost, hostNames } from "../../hosts/hosts.ts";
import { readWorkspaceConfig } from "../../workspace/config.ts";
import { findProject } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";

/** Handles one event of a host. The exit code is always 0: memory must never block an agent. */
export async function run(args: string[]): Promise<number> {
  const call = new HookCall(args);
  call.setDeadline();
  try {
    await call.work();
  } catch (error) {
    call.fail(error);
  }
  call.end();
  return 0;
}

/** One event. It answers at its deadline in any case. The host's own timeout ends a process that hangs in a system call. */
class HookCall {
  readonly #args: readonly string[];
  readonly #host: Host | undefined;
  #project = findProject(process.cwd());
  #config = readWorkspaceConfig(this.#project);
  #event: HookEvent | undefined;
  #isAnswered = false;
  /** Whether that answer came from the work, not from its deadline or failure. */
  #isShown = false;
  #isReported = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(args: readonly string[]) {
    this.#args = args;
    this.#host = findHost(args[0] ?? "");
  }

  async work(): Promise<void> {
    const host = this.#host;
    if (!host) throw unknownHost(this.#args[0] ?? "");
    const { event: eventName, ...flags } = readFlags(this.#args.slice(1));
    const payload = parsePayload(await readInput());
    // A host that does not send its event's name has it in the command.
    if (eventName !== undefined) payload.hook_event_name ??= eventName;
    const started = process.env[host.projectVariable ?? ""];
    if (started && existsSync(started)) payload.cwd = started;
    if (typeof payload.cwd === "string" && payload.cwd !== "" && payload.cwd !== process.cwd()) {
      this.#project = findProject(payload.cwd);
      this.#config = readWorkspaceConfig(this.#project);
      this.setDeadline();
    }
    if (this.#config.problems.length > 0) await this.#reportConfig();
    const event = readHookEvent(host, payload);
    this.#event = event;
    await runHook({
      event,
      project: this.#project,
      config: this.#config,
      flags,
      answer: (reply) => {
        this.#isShown ||= !this.#isAnswered;
        this.#print(host.formatAnswer(event, reply));
      },
      fail: (error, code) => this.fail(error, code),
    });
  }

  /** Counts from the start of the process; waits for nothing pending, such as a lock or an endless pipe. */
  setDeadline(): void {
    clearTimeout(this.#timer);
    const { hookDeadline } = this.#config;
    const left = Math.max(0, hookDeadline - process.uptime() * 1_000);
    this.#timer = setTimeout(() => {
      const stage = this.#event ? `${this.#event.name} was not finished` : "The event could not be read";
      // First of all: recording the failure may hang too.
      this.end();
      this.fail(
        new HoldfastError(
          "store_busy",
          `${stage} within ${hookDeadline} ms, so the agent continues without it. Check which process is using ${this.#project.directory}.`,
        ),
        "deadline",
      );
      process.exit(0);
    }, left);
  }

  /** Settings that cannot be used: their defaults apply. */
  async #reportConfig(): Promise<void> {
    const { explainProblems } = await import("../../workspace/config-problems.ts");
    for (const problem of await explainProblems(this.#config))
      this.fail(new HoldfastError("invalid_input", problem));
  }

  /** Prints the first failure to stderr, and records all of them for `holdfast doctor`. */
  fail(error: unknown, code = error instanceof HoldfastError ? error.code : "internal"): void {
    const message = oneLine(error instanceof Error ? error.message : String(error));
    if (!this.#isReported) write(2, `holdfast hook: ${message.slice(0, 500)}\n`);
    this.#isReported = true;
    const host = this.#args[0] ?? "";
    const event = this.#event?.name ?? "";
    keepFailure(this.#project.directory, { at: Date.now(), host, event, code, message });
    if (code === "deadline" || code === "store_busy") this.#noteMissed();
  }

  /** A compaction that was not recorded is made up for by the next event of the conversation. */
  #noteMissed(): void {
    const event = this.#event;
    if (!event || !endsCompaction(event)) return;
    try {
      noteMissed(this.#project.directory, event.host.name, event.hostSession, this.#isShown);
    } catch {
      // The failure is reported; a place that cannot be written cannot keep this either.
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#print(this.#host?.emptyAnswer ?? "{}");
  }

  #print(text: string): void {
    if (this.#isAnswered) return;
    if (text !== "") write(1, `${text}\n`);
    this.#isAnswered = true;
  }
}

/** Longer events are ignored. */
const maxInputBytes = 32_000_000;

/** The event as the host wrote it to stdin. */
async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= maxInputBytes) pieces.push(piece);
    // Keep reading: some hosts treat a closed pipe as a failure.
    else pieces.length = 0;
  }
  if (size <= maxInputBytes) return Buffer.concat(pieces).toString("utf8");
  throw new HoldfastError(
    "over_limit",
    `The event has ${size} bytes; the limit is ${maxInputBytes}. It was ignored; the next event is handled as usual.`,
  );
}

function parsePayload(text: string): Record<string, unknown> {
  let payload: unknown;
  try {
    payload = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `The input on stdin is not JSON (${(error as Error).message}). The host calls a hook with the event as JSON.`,
    );
  }
  if (isObject(payload)) return payload;
  throw new HoldfastError("invalid_input", "The event on stdin is not a JSON object.");
}

/** Synchronous, because the process may exit right after. A host that has gone away is not an error. */
function write(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // No one is left to read it.
  }
}

function readFlags(args: string[]): StoreFlags & { event?: string } {
  if (args.length === 0) return {};
  const { parseArgs } = process.getBuiltinModule("node:util");
  return parseArgs({
    args,
    options: { db: { type: "string" }, store: { type: "string" }, event: { type: "string" } },
  }).values;
}

function unknownHost(host: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `There is no hook for ${JSON.stringify(host)}. Usage: holdfast hook HOST, where HOST is one of ${hostNames.join(", ")}.`,
  );
}
