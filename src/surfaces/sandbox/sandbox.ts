import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { typeName } from "../../engine/check-fields.ts";
import type { Json } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { type LimitName, mergeSandboxLimits, type SandboxLimits, tighten } from "./limits.ts";
import { Supervisor } from "./supervise.ts";
import type { Engine, WorkerStart } from "./worker.ts";

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
  signal?: AbortSignal | undefined;
  /** Can only lower the sandbox's limits. */
  limits?: Partial<SandboxLimits> | undefined;
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
  /** Ends running programs. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  limits?: Partial<SandboxLimits> | undefined;
  /** How many programs may run at once; others wait (default: the number of processors, at least 4). */
  workers?: number;
}

const maxCodeLength = 200_000;

/**
 * Runs untrusted programs, each in its own worker thread with its own VM.
 *
 * @example
 * const sandbox = createSandbox({ limits: { cpuMilliseconds: 500 } });
 * await sandbox.run({ code: "return input.a + 1", input: { a: 1 } }); // { ok: true, value: 2, logs: "" }
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = mergeSandboxLimits(options.limits);
  const maxRunning = options.workers ?? Math.max(4, availableParallelism());
  if (!Number.isInteger(maxRunning) || maxRunning < 1)
    throw new HoldfastError(
      "invalid_input",
      `"workers" must be a whole number of at least 1 (got ${maxRunning}).`,
    );
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  let engine: Promise<Engine> | undefined;

  const runInWorker = async (
    program: Program,
    input: string,
    tightened: SandboxLimits,
    checkOnly: boolean,
  ): Promise<SandboxResult> => {
    engine ??= loadEngine(limits.memoryBytes);
    const cpuDeadline = new Float64Array(new SharedArrayBuffer(8));
    const worker = startWorker({
      engine: await engine,
      limits: tightened,
      code: program.code,
      input,
      paths: program.api?.paths ?? [],
      checkOnly,
      cpuDeadline,
    });
    return new Supervisor(worker, program, tightened).result(cpuDeadline, closing.signal);
  };

  const run = async (program: Program, checkOnly: boolean): Promise<SandboxResult> => {
    const tightened = tighten(limits, program.limits);
    const input = jsonOf(program.input);
    const refused = refuse(program, input, tightened);
    if (refused) return refused;
    while (running.size >= maxRunning) await Promise.race(running);
    if (closing.signal.aborted) return refusal("closed", "The sandbox was closed.");
    // The program may have been aborted while it waited.
    if (program.signal?.aborted) return refusal("aborted", "The program was aborted before it started.");
    const result = runInWorker(program, input, tightened, checkOnly);
    const ended = result.catch(() => undefined).finally(() => running.delete(ended));
    running.add(ended);
    return result;
  };

  return {
    limits,
    run: (program) => run(program, false),
    check: (code) => run({ code }, true),
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

type Refusal = Extract<SandboxResult, { ok: false }>;

function refuse({ code, signal }: Program, input: string, limits: SandboxLimits): Refusal | undefined {
  if (typeof code !== "string")
    return refusal("syntax_error", `"code" must be a string (got ${typeName(code)}).`);
  if (code.length > maxCodeLength)
    return refusal(
      "syntax_error",
      `The program has ${code.length} characters; the limit is ${maxCodeLength}. Pass data as input.`,
    );
  if (input.length > limits.memoryBytes / 8) {
    const message = "The input is too large for the program's memory. Pass less of it.";
    return { ...refusal("limit_reached", message), limit: "memory" };
  }
  return signal?.aborted ? refusal("aborted", "The program was aborted before it started.") : undefined;
}

function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "null";
  } catch (error) {
    throw new HoldfastError("invalid_input", `The input is not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function refusal(code: SandboxFailure, message: string): Refusal {
  return { ok: false, code, message, logs: "" };
}

/** In the build the worker is next to the bundle; in the source it is in this folder. */
const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./sandbox-worker.js",
  import.meta.url,
);

function startWorker(start: WorkerStart): Worker {
  return new Worker(workerFile, {
    workerData: start,
    // The program's memory is in WebAssembly; these limits are for passing texts in and out.
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: {},
  });
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
