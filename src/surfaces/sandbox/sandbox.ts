import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { typeName } from "../../engine/check-fields.ts";
import type { Json } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { HostedWorker } from "./hosted-worker.ts";
import { type LimitName, mergeSandboxLimits, type RunLimits, type SandboxLimits, tighten } from "./limits.ts";
import type { Engine } from "./protocol.ts";

/** The names that a program may call. */
export interface SandboxApi {
  /** Dotted names, such as `session.notepad.append`. */
  paths: readonly string[];
  /** Runs one call. Errors are rethrown in the program. */
  call(path: string, args: Json[], signal: AbortSignal): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  /** Undefined for a call that returns nothing. */
  value: Json | undefined;
  /** Lines for the program's log, such as a truncation. */
  warnings?: readonly string[];
}

export interface Program {
  /** TypeScript or JavaScript: the body of an async function, or one expression. */
  code: string;
  input?: Json;
  api?: SandboxApi;
  signal?: AbortSignal;
  /** Can only lower the sandbox's limits. */
  limits?: Partial<RunLimits>;
}

/** Why a program returned no value. */
export type SandboxFailure = "syntax_error" | "program_failed" | "limit_reached" | "aborted" | "closed";

export type SandboxResult =
  | { ok: true; value: Json; logs: string }
  | {
      ok: false;
      code: SandboxFailure;
      message: string;
      logs: string;
      /** The line in the program, from 1. */
      line?: number;
      limit?: LimitName;
    };

export interface Sandbox {
  readonly limits: SandboxLimits;
  run(program: Program): Promise<SandboxResult>;
  /** Checks that a program compiles, without running it. */
  check(code: string): Promise<SandboxResult>;
  /** Ends running programs and stops the workers. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  limits?: Partial<SandboxLimits>;
  /** How many programs may run at once; others wait (default: the number of processors, at least 4). */
  workers?: number;
}

const maxCodeLength = 200_000;

/**
 * Runs untrusted programs. Workers start with the first program and do not keep the process alive.
 *
 * @example
 * const sandbox = createSandbox({ limits: { cpuMilliseconds: 500 } });
 * await sandbox.run({ code: "return input.a + 1", input: { a: 1 } }); // { ok: true, value: 2, logs: "" }
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = mergeSandboxLimits(options.limits);
  const maxWorkers = options.workers ?? Math.max(4, availableParallelism());
  if (!Number.isInteger(maxWorkers) || maxWorkers < 1)
    throw new HoldfastError(
      "invalid_input",
      `"workers" must be a whole number of at least 1 (got ${maxWorkers}).`,
    );
  let engine: Promise<Engine> | undefined;
  const workers = new Set<HostedWorker>();
  const idle: HostedWorker[] = [];
  const queue: ((worker: HostedWorker | undefined) => void)[] = [];
  let closed = false;

  let starting = 0;
  const startWorker = async (): Promise<HostedWorker | undefined> => {
    starting++;
    try {
      engine ??= loadEngine(limits.memoryBytes);
      const compiled = await engine;
      if (closed) return undefined;
      const worker = new HostedWorker(compiled, limits);
      workers.add(worker);
      return worker;
    } finally {
      starting--;
    }
  };

  const acquire = async (): Promise<HostedWorker | undefined> => {
    if (closed) return undefined;
    for (let free = idle.pop(); free; free = idle.pop()) {
      if (free.alive) return free;
      workers.delete(free);
    }
    if (workers.size + starting >= maxWorkers) return new Promise((resolve) => queue.push(resolve));
    return startWorker();
  };

  const makeAvailable = (worker: HostedWorker): void => {
    const waiting = queue.shift();
    if (waiting) waiting(worker);
    else idle.push(worker);
  };

  /** Returns a worker to the pool, or replaces it if it was killed. */
  const release = async (worker: HostedWorker): Promise<void> => {
    if (worker.alive) return makeAvailable(worker);
    workers.delete(worker);
    if (closed) return;
    const replacement = await startWorker().catch(() => undefined);
    if (replacement) makeAvailable(replacement);
    else queue.shift()?.(undefined);
  };

  const work = async (program: Program, checkOnly: boolean): Promise<SandboxResult> => {
    const refused = refuse(program, limits);
    if (refused) return refused;
    const worker = await acquire();
    if (!worker || closed) return refusal("closed", "The sandbox was closed.");
    try {
      // The program may have been aborted while it waited for a worker.
      if (program.signal?.aborted) return refusal("aborted", "The program was aborted before it started.");
      return await worker.run(program, tighten(limits, program.limits), checkOnly);
    } finally {
      void release(worker);
    }
  };

  return {
    limits,
    run: (program) => work(program, false),
    check: (code) => work({ code }, true),
    async close() {
      closed = true;
      for (const waiting of queue.splice(0)) waiting(undefined);
      await Promise.all([...workers].map((worker) => worker.close()));
      workers.clear();
      idle.length = 0;
    },
  };
}

type Refusal = Extract<SandboxResult, { ok: false }>;

function refuse(program: Program, limits: SandboxLimits): Refusal | undefined {
  const { code, input, signal } = program;
  if (typeof code !== "string")
    return refusal("syntax_error", `"code" must be a string (got ${typeName(code)}).`);
  if (code.length > maxCodeLength)
    return refusal(
      "syntax_error",
      `The program has ${code.length} characters; the limit is ${maxCodeLength}. Pass data as input.`,
    );
  if (inputLength(input) > limits.memoryBytes / 8) {
    const message = "The input is too large for the program's memory. Pass less of it.";
    return { ...refusal("limit_reached", message), limit: "memory" };
  }
  return signal?.aborted ? refusal("aborted", "The program was aborted before it started.") : undefined;
}

function inputLength(input: unknown): number {
  try {
    return JSON.stringify(input)?.length ?? 0;
  } catch (error) {
    throw new HoldfastError("invalid_input", `The input is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function refusal(code: SandboxFailure, message: string): Refusal {
  return { ok: false, code, message, logs: "" };
}

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> };

const engineFile = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
const pageBytes = 65_536;
const memorySection = 5;

/** Loads QuickJS with a memory that cannot grow past the limit, independent of the engine's own limit. */
async function loadEngine(memoryBytes: number): Promise<Engine> {
  return WebAssembly.compile(capMemory(await readFile(engineFile), Math.floor(memoryBytes / pageBytes)));
}

/** Sets a maximum on the module's memory; the published module has none. */
function capMemory(wasm: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < wasm.length; ) {
    const size = readNumber(wasm, at + 1);
    const end = size.next + size.value;
    if (wasm[at] === memorySection) {
      // Section layout: number of memories, then for each: has-maximum flag, minimum, maximum.
      const minimum = readNumber(wasm, size.next + 2);
      const content = [1, 1, ...wasm.subarray(size.next + 2, minimum.next), ...writeNumber(maxPages)];
      const capped = [memorySection, ...writeNumber(content.length), ...content];
      return Uint8Array.from(Buffer.concat([wasm.subarray(0, at), Buffer.from(capped), wasm.subarray(end)]));
    }
    at = end;
  }
  throw new Error("quickjs.wasm does not define a memory; this version of quickjs-wasi is not supported.");
}

function readNumber(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at };
  }
}

function writeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...writeNumber(Math.floor(value / 128))];
}
