import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../engine/json.ts";
import { Queue } from "../engine/queue.ts";
import { shortHash } from "../engine/short-hash.ts";
import { HoldfastError } from "../errors.ts";
import { makeGuard, type SecretGuard } from "../secrets/guard.ts";
import type { Session } from "../sessions/session.ts";
import type { ToolAnswer } from "../surfaces/toolbox.ts";
import { makeProjectDirectory } from "./project.ts";
import { namesIn, readSmallFile } from "./small-file.ts";
import type { Workspace } from "./workspace.ts";

/** A tool call that could not be written because another process held the store. */
interface KeptCall {
  session: string;
  tool: string;
  input: unknown;
  /** Its idempotency key, so that it is applied once even if a process dies in between. */
  key: string;
}

/** A call as a surface of the outside world makes it: MCP, a plug-in. */
export interface OutboxCall {
  sessionId: string;
  open: () => Promise<Session>;
  tool: string;
  input: unknown;
  key?: string | undefined;
  /** Only writes are kept. */
  isWrite: boolean;
}

/** How long to wait before trying again to apply what is kept. */
const retryMilliseconds = 250;
/** More waiting calls than this means that nobody will ever apply them. */
const maxKept = 200;

/** Keeps writes on disk while the store is locked, and applies them in order, once, when it is free. */
export class Outbox {
  readonly #project: string;
  readonly #directory: string;
  readonly #guard: SecretGuard;
  readonly #queue = new Queue();
  /** Sessions with calls that this process kept, and how to open them. */
  readonly #waiting = new Map<string, OutboxCall["open"]>();
  #timer: NodeJS.Timeout | undefined;
  #number = 0;

  constructor({ project, store, config }: Pick<Workspace, "project" | "store" | "config">) {
    this.#guard = makeGuard(config.values.secrets);
    this.#project = project.directory;
    this.#directory = join(project.directory, "outbox", shortHash(store.url));
  }

  get size(): number {
    return this.#names().length;
  }

  /** Makes the call; if the store stays locked, keeps it and says so. Earlier kept calls of the session go first. */
  async call(call: OutboxCall): Promise<ToolAnswer> {
    if (!call.isWrite || this.size === 0) return this.#attempt(call);
    const isFree = await this.drain(call.open, call.sessionId);
    return isFree ? this.#attempt(call) : this.#keep(call, "store_busy");
  }

  /** Applies what is kept, oldest first; false if the store is still locked. `only`: the calls of one session. */
  drain(open: (session: string) => Promise<Session>, only?: string): Promise<boolean> {
    return this.#queue.run(() => this.#drain(open, only));
  }

  /** What is still kept is applied by the next process that writes to its session. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  async #attempt(call: OutboxCall): Promise<ToolAnswer> {
    const { open, tool, input, key } = call;
    try {
      const answer = await (await open()).call(tool, input, key === undefined ? {} : { key });
      return !answer.ok && mayKeep(call, answer.code) ? this.#keep(call, answer.code) : answer;
    } catch (error) {
      if (error instanceof HoldfastError && mayKeep(call, error.code)) return this.#keep(call, error.code);
      throw error;
    }
  }

  #keep({ sessionId, tool, input: given, key, open }: OutboxCall, code: string): ToolAnswer {
    let cleaned: { value: unknown; notice: string };
    try {
      cleaned = this.#guard.clean(given);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      return { ok: false, code: error.code, text: `${tool}: ${error.message}`, data: { kept: false } };
    }
    const { value: input, notice } = cleaned;
    const kept = { session: sessionId, tool, input, key: key ?? `outbox-${crypto.randomUUID()}` };
    const isKept = this.size < maxKept && this.#write(kept);
    const isBusy = code === "store_busy";
    const why = isBusy ? "another process has locked the memory." : "the memory did not answer in time.";
    const next = isKept
      ? `The call was kept on disk and is applied once, as soon as ${isBusy ? "the lock is free" : "it answers"}. Do not repeat it.${notice === "" ? "" : ` ${notice}`}`
      : `${isBusy ? "Nothing was changed" : "The change may have been applied"}. Continue without it, and try again later.`;
    if (isKept) {
      this.#waiting.set(sessionId, open);
      this.#drainLater();
    }
    return {
      ok: false,
      code: "store_busy",
      text: `${tool}: ${why} ${next}`,
      data: { kept: isKept },
    };
  }

  /** Durable before the answer; false if it cannot be written. */
  #write(call: KeptCall): boolean {
    const number = String(this.#number++).padStart(6, "0");
    const path = join(this.#directory, `${Date.now()}-${number}-${process.pid}.json`);
    try {
      makeProjectDirectory(this.#project);
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      const file = openSync(`${path}.new`, "wx", 0o600);
      try {
        writeSync(file, JSON.stringify(call));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(`${path}.new`, path);
      return true;
    } catch {
      rmSync(`${path}.new`, { force: true });
      return false;
    }
  }

  #drainLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#drainWaiting(), retryMilliseconds);
    this.#timer.unref();
  }

  async #drainWaiting(): Promise<void> {
    for (const [sessionId, open] of this.#waiting) {
      const isFree = await this.drain(open, sessionId).catch(() => false);
      if (isFree) this.#waiting.delete(sessionId);
    }
    if (this.#waiting.size > 0) this.#drainLater();
  }

  async #drain(open: (session: string) => Promise<Session>, only: string | undefined): Promise<boolean> {
    for (const name of this.#names()) {
      const path = join(this.#directory, name);
      const call = readCall(path);
      if (!call || (only !== undefined && call.session !== only)) continue;
      const answer = await applyKept(open, call);
      if (answer === "busy") return false;
      // A call that the store refuses now is kept under another name, for people.
      if (answer === "refused") renameSync(path, `${path}.refused`);
      else rmSync(path, { force: true });
    }
    return true;
  }

  #names(): string[] {
    return namesIn(this.#directory)
      .filter((name) => name.endsWith(".json"))
      .sort();
  }
}

/** Only writes are kept. One that may have been applied is kept if its key makes applying it again harmless. */
function mayKeep({ isWrite, key }: OutboxCall, code: string): boolean {
  return isWrite && (code === "store_busy" || (code === "store_unknown" && key !== undefined));
}

/** The files of calls that are kept, also of those that were refused. */
export function keptFiles(directory: string): string[] {
  const outbox = join(directory, "outbox");
  const paths = namesIn(outbox).flatMap((store) =>
    namesIn(join(outbox, store)).map((name) => join(outbox, store, name)),
  );
  return paths.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Forgets the calls of sessions that are removed for good. */
export function dropKept(directory: string, sessions: readonly string[]): void {
  for (const path of keptFiles(directory))
    if (sessions.includes(readCall(path)?.session ?? "")) rmSync(path, { force: true });
}

async function applyKept(
  open: (session: string) => Promise<Session>,
  { session, tool, input, key }: KeptCall,
): Promise<"applied" | "refused" | "busy"> {
  try {
    const answer = await (await open(session)).call(tool, input, { key });
    if (answer.ok) return "applied";
    // A program without this surface leaves it to one that has it.
    return answer.code === "unknown_tool" || answer.code.startsWith("store_") ? "busy" : "refused";
  } catch {
    return "busy";
  }
}

function readCall(path: string): KeptCall | undefined {
  const value = readSmallFile(path);
  if (!isObject(value)) return undefined;
  const { session, tool, input, key } = value;
  if (typeof session !== "string" || typeof tool !== "string" || typeof key !== "string") return undefined;
  return { session, tool, input, key };
}
