import { existsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Worker } from "node:worker_threads";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { keepFailure } from "../../hosts/failures.ts";
import type { HookRun } from "../../hosts/hook/context.ts";
import { endsCompaction, type HookEvent, type HookKind, readHookEvent } from "../../hosts/hook/event.ts";
import { type KnownNotes, recallNotes } from "../../hosts/hook/known-notes.ts";
import { runHook } from "../../hosts/hook/run-hook.ts";
import { noteMissed, readHookState } from "../../hosts/hook/state.ts";
import type { Host } from "../../hosts/host.ts";
import { findHost, hostNames } from "../../hosts/hosts.ts";
import { hasNotes } from "../../surfaces/project/notes-md/places.ts";
import { offers, readWorkspaceConfig } from "../../workspace/config.ts";
import { findProject } from "../../workspace/project.ts";
import { isRemote } from "../../workspace/remote-file-system.ts";
import { locateStore, type StoreFlags } from "../../workspace/store-location.ts";
import { parsePayload, readInput } from "./hook-input.ts";
import { findWatch, type HookWatch } from "./hook-watch.ts";

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

/**
 * One event. Its answer and its failures are printed here. Work that may take long runs in a worker, so that the
 * deadline holds even if that thread is stuck in a loop or in a system call. If this thread is, the watch ends the
 * process from outside.
 */
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
  #worker: Worker | undefined;
  #watch: HookWatch | undefined = findWatch();
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
    if (typeof payload.cwd === "string" && payload.cwd !== "" && payload.cwd !== process.cwd()) {
      this.#project = findProject(payload.cwd);
      this.#config = readWorkspaceConfig(this.#project);
      this.setDeadline();
    }
    if (this.#config.problems.length > 0) await this.#reportConfig();
    const event = readHookEvent(host, payload);
    this.#event = event;
    const given = { project: this.#project, config: this.#config, flags };
    const notes = recallFor(event, given);
    if (this.#isWatchedOtherwise() || mayTakeLong(event, given, notes !== undefined))
      return this.#workInThread({ host: host.name, payload, ...given });
    await runHook({
      ...given,
      ...(notes ? { notes } : {}),
      event,
      answer: (reply) => this.#answer(host.formatAnswer(event, reply)),
      fail: (error, code) => this.fail(error, code),
    });
  }

  /** A deadline from a config file, which the watch does not read, takes its place. */
  #isWatchedOtherwise(): boolean {
    if (!this.#watch || this.#watch.deadline === this.#config.hookDeadline) return false;
    this.#watch.dismiss();
    this.#watch = undefined;
    return true;
  }

  #workInThread(job: HookJob): Promise<void> {
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const { getCompileCacheDir } = process.getBuiltinModule("node:module");
    const cache = getCompileCacheDir?.();
    // Node 22 would warn about its SQLite. The mark tells this file that it runs in the worker.
    const code = [
      "process.emitWarning = () => {}",
      ...(cache === undefined
        ? []
        : [`process.getBuiltinModule("node:module").enableCompileCache(${JSON.stringify(cache)})`]),
      `globalThis[${JSON.stringify(workerMark)}] = true`,
      `import(${JSON.stringify(import.meta.url)})`,
    ].join("; ");
    const worker = new Worker(code, { eval: true, workerData: job });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.on("message", (message: HookMessage) => {
        if (message.kind === "answer") this.#answer(message.text);
        else this.fail(new Error(message.message), message.code);
      });
      worker.once("error", reject);
      worker.once("exit", () => resolve());
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
          `${stage} within ${hookDeadline} ms, so the agent continues without it. Check which process is using ${this.#project.directory}, or raise hookDeadline in holdfast.json.`,
        ),
        "deadline",
      );
      if (this.#worker || !this.#event) leaveThreads();
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
  fail(error: unknown, code = codeOf(error)): void {
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

  #answer(text: string): void {
    this.#isShown ||= !this.#isAnswered;
    this.#print(text);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#print(this.#host?.emptyAnswer ?? "{}");
  }

  #print(text: string): void {
    if (this.#isAnswered) return;
    if (text !== "") write(1, `${text}\n`);
    this.#isAnswered = true;
    this.#watch?.reportAnswer();
  }
}

type HookGiven = Pick<HookRun, "project" | "config" | "flags">;

/** What the worker gets, and what it sends back. */
interface HookJob extends HookGiven {
  host: string;
  payload: Record<string, unknown>;
}

type HookMessage = { kind: "answer"; text: string } | { kind: "failure"; message: string; code: string };

const quickKinds: readonly HookKind[] = ["session-start", "prompt", "after-tool", "turn-end"];

/** What a start shows of NOTES.md, if nothing that it depends on has changed since the last one. */
function recallFor(event: HookEvent, { project, config }: HookGiven): KnownNotes | undefined {
  if (event.kind !== "session-start" || event.source === "compact" || event.source === "resume")
    return undefined;
  const path = config.values["project.file"];
  return offers(config, "project") && hasNotes(project.root, path) ? recallNotes(project, path) : undefined;
}

/**
 * A worker costs about as much as starting Node. The events that agents wait for most do without one if all they read is
 * a SQLite file on a local disk, whose locks they wait for in short steps. Documents, transcripts, network file systems
 * and other stores have no such bound. If a local disk hangs all the same, the watch ends the process.
 */
function mayTakeLong(
  event: HookEvent,
  { project, config, flags }: HookGiven,
  areNotesKnown: boolean,
): boolean {
  if (!quickKinds.includes(event.kind)) return true;
  // Only a session that was resumed may read its transcript at the start.
  if (event.kind === "session-start" && (event.source === "compact" || event.source === "resume"))
    return true;
  const isLooking = event.kind === "prompt" || event.kind === "after-tool";
  const state = isLooking ? readHookState(project.directory, event.host.name, event.hostSession) : undefined;
  if (state?.missed || state?.start === "resume") return true;
  const { kind, file } = locateStore({ project, cwd: event.cwd, flags, config });
  if (kind !== "sqlite" || isRemote(project.directory) || isRemote(dirname(file))) return true;
  // A prompt may show a compaction that the host does not report, and NOTES.md with it.
  const { endsSilently, newestSummary } = event.host.compaction;
  const mayReadNotes = event.kind === "session-start" || endsSilently || newestSummary !== undefined;
  if (!mayReadNotes || areNotesKnown || !offers(config, "project")) return false;
  return hasNotes(project.root, config.values["project.file"]);
}

const workerMark = "holdfast hook worker";

if (Reflect.has(globalThis, workerMark)) {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { host: name, payload, ...given } = workerData as HookJob;
  const send = (message: HookMessage) => parentPort?.postMessage(message);
  const fail = (error: unknown, code = codeOf(error)) => {
    const message = error instanceof Error ? error.message : String(error);
    send({ kind: "failure", message, code });
  };
  const host = findHost(name);
  if (host) {
    const event = readHookEvent(host, payload);
    // Not awaited: files that it loads import this one, which must have been evaluated by then.
    runHook({
      ...given,
      event,
      answer: (reply) => send({ kind: "answer", text: host.formatAnswer(event, reply) }),
      fail,
    }).catch((error: unknown) => fail(error));
  }
}

/** Ends the process without waiting for its other threads, which exit() would do: one may be blocked for ever. */
function leaveThreads(): void {
  const program = ["/bin/true", "/usr/bin/true"].find((path) => existsSync(path));
  if (program !== undefined) process.execve?.(program, ["true"], {});
}

function codeOf(error: unknown): string {
  return error instanceof HoldfastError ? error.code : "internal";
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
