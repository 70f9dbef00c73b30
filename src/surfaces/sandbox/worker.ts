import { stripTypeScriptTypes } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";
import { dropTrailing } from "../../engine/text.ts";
import { type LimitName, type SandboxLimits, sharedNow } from "./limits.ts";

/** The compiled QuickJS module. TypeScript declares WebAssembly only together with the DOM. */
export interface Engine {
  readonly [compiled]: true;
}

declare const compiled: unique symbol;

/** The program that a worker starts with. Values cross as JSON texts. */
export interface WorkerStart {
  engine: Engine;
  limits: SandboxLimits;
  code: string;
  input: string;
  /** The names that the program may call, for example `session.notepad.append`. */
  paths: readonly string[];
  /** Only check that it compiles. */
  checkOnly: boolean;
  /** One number in shared memory: when the running program reaches its CPU limit. 0: it is not running. */
  cpuDeadline: Float64Array;
}

/** The answer to a call. */
export interface ToWorker {
  call: number;
  ok: boolean;
  text: string;
}

export type FromWorker =
  | { type: "call"; call: number; path: string; args: string }
  | { type: "log"; text: string }
  | { type: "end"; end: ProgramEnd };

/** How a program ended, as its worker reports it. */
export type ProgramEnd =
  | { kind: "done"; value: string }
  | { kind: "syntax" | "failed"; message: string; line: number | undefined }
  | { kind: "limit"; limit: LimitName };

const port = parentPort;
if (!port) throw new Error("The sandbox runs this file as a worker; it does not run on its own.");
const start = workerData as WorkerStart;
const { limits, cpuDeadline } = start;
const wallDeadline = sharedNow() + limits.wallMilliseconds;

const send = (message: FromWorker) => port.postMessage(message);

/** Reports the end and stops this thread, even in the middle of a call from the VM. */
function finish(end: ProgramEnd): never {
  cpuDeadline[0] = 0;
  send({ type: "end", end });
  process.exit();
}

const reached = (limit: LimitName): never => finish({ kind: "limit", limit });

/** The program's file name in the VM's stack traces. */
const programName = "program";

const head = `(async function ${programName}(input, session, state, tools, console) {"use strict";`;

/**
 * Strips the types and wraps the code in an async function, keeping line numbers. A program that is a single
 * expression returns its value; any other is the body of the function.
 */
function prepare(code: string): string {
  const expression = dropTrailing(code.trimEnd(), ";");
  try {
    if (expression !== "") return strip(`${head}return (${expression}\n)\n})`);
  } catch {
    // It is not an expression.
  }
  try {
    return strip(`${head}${code.replace(/^([ \t]*)export[ \t]+default\b/m, "$1return        ")}\n})`);
  } catch (error) {
    return finish(describeSyntax(error as NodeJS.ErrnoException));
  }
}

function strip(source: string): string {
  return stripTypeScriptTypes(source, { mode: "strip", sourceUrl: programName });
}

function describeSyntax({ code, message, stack = "" }: NodeJS.ErrnoException): ProgramEnd {
  const reason = (message.split("\n")[0] ?? "").replace(/\.$/, "");
  const line = Number(stack.match(/^program:(\d+)/)?.[1]) || undefined;
  switch (code) {
    case "ERR_INVALID_TYPESCRIPT_SYNTAX":
      return { kind: "syntax", message: `${reason}.`, line };
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX": {
      const supported =
        "Only type annotations are supported: no enums, namespaces, parameter properties or <type> casts.";
      return { kind: "syntax", message: `${reason}. ${supported}`, line };
    }
    // The parser overflowed its stack.
    default:
      return { kind: "syntax", message: "The program is nested too deeply.", line: undefined };
  }
}

let cpuLeft = limits.cpuMilliseconds;
/** Unanswered calls, with the length of their arguments. */
const unanswered = new Map<number, number>();
/** Promises that were rejected without a handler. */
const unhandled = new Set<number>();
let calls = 0;
let logged = 0;
let end: ProgramEnd | undefined;

let memory: { readonly buffer: ArrayBuffer } | undefined;

const vm = await QuickJS.create({
  wasm: start.engine,
  memoryLimit: limits.memoryBytes,
  maxStackSize: limits.stackBytes,
  interruptHandler: () => {
    const now = sharedNow();
    if (now > (cpuDeadline[0] ?? 0)) reached("cpu");
    if (now > wallDeadline) reached("wall");
    return false;
  },
  onUnhandledRejection: (promise: JSValueHandle, _reason: JSValueHandle, isHandled: boolean) => {
    if (isHandled) unhandled.delete(promise.identity);
    else unhandled.add(promise.identity);
  },
  // A program sees the time but not the host's time zone, and has no standard output.
  timezoneOffset: 0,
  wasi: (own: { readonly buffer: ArrayBuffer }) => {
    memory = own;
    return { fd_write: () => 0 };
  },
});

/** Runs the program until it waits or ends. */
function resume(work: () => void): void {
  const began = sharedNow();
  cpuDeadline[0] = began + cpuLeft;
  try {
    work();
    vm.executePendingJobs();
  } catch (error) {
    finish(explain(error));
  }
  cpuDeadline[0] = 0;
  cpuLeft -= sharedNow() - began;
  // The program is not over while calls that it did not await are unanswered.
  if (unanswered.size > 0 && end?.kind !== "failed") return;
  if (unhandled.size > 0)
    log("A call failed and the program did not await it. Await every call to see its error.");
  finish(end ?? failure("The program awaits a promise that will never settle.", undefined));
}

/** How a program ended whose exception left the VM. */
function explain(error: unknown): ProgramEnd {
  if (error instanceof JSException) {
    const line = lineOf(error.stack ?? "");
    if (error.name === "SyntaxError") return { kind: "syntax", message: error.message, line };
    return failure(`${error.name}: ${error.message}`, line);
  }
  // A RangeError here is V8's stack overflow; anything else that breaks the engine is a failed allocation.
  return { kind: "limit", limit: error instanceof RangeError ? "stack" : "memory" };
}

/** QuickJS reports two of its limits as exceptions. Without memory for an exception, it throws null. */
function failure(message: string, line: number | undefined): ProgramEnd {
  const isFull = (memory?.buffer.byteLength ?? 0) > 0.75 * limits.memoryBytes;
  if (
    message === "InternalError: out of memory" ||
    (isFull && /^threw (?:null|\[uninitialized\])$|<null>/.test(message))
  )
    return { kind: "limit", limit: "memory" };
  if (message === "RangeError: Maximum call stack size exceeded") return { kind: "limit", limit: "stack" };
  return { kind: "failed", message, line };
}

function lineOf(stack: string): number | undefined {
  return Number(stack.match(/\bprogram:(\d+)/)?.[1]) || undefined;
}

/** Room for names and for the description of an error, whatever the output limit. */
const maxTextLength = Math.max(limits.outputCharacters, 20_000);

/** The guest's code sends only strings; anything else is forged and ignored. */
function receive(args: readonly JSValueHandle[]): void {
  if (!args.every((arg) => arg.isString)) return;
  if (args.some((arg) => lengthOf(arg) > maxTextLength)) reached("output");
  const [kind = "", first = "", second = "", third = ""] = args.map((arg) => arg.toString());
  if (kind === "call") call(Number(first), second, third);
  else if (kind === "log") log(first);
  else if (kind === "done") end ??= { kind, value: first };
  else if (kind === "failed") end ??= failure(first, lineOf(second));
}

function lengthOf(text: JSValueHandle): number {
  return text.getProp("length").consume((length) => length.toNumber());
}

/** Arguments of unanswered calls, as a multiple of the output limit. */
const unansweredFactor = 10;

function call(number: number, path: string, args: string): void {
  if (++calls > limits.operations) reached("operations");
  unanswered.set(number, args.length);
  const waiting = unanswered.values().reduce((sum, length) => sum + length, 0);
  if (waiting > unansweredFactor * limits.outputCharacters) reached("output");
  send({ type: "call", call: number, path, args });
}

function log(text: string): void {
  logged += text.length + 1;
  if (logged > limits.outputCharacters) reached("output");
  send({ type: "log", text: `${text}\n` });
}

/** How the guest calls the host: only strings cross the boundary. */
type HostCall = (kind: string, ...texts: string[]) => void;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Made by the call, so that its stack names the line. */
  error: Error;
}

/**
 * Runs in the VM before the program. It is passed as source text, so it must not use anything outside itself.
 * A program that tampers with built-in objects only harms itself: the host trusts nothing from here.
 */
function bootGuest(host: HostCall, random: () => number, input: string, paths: string) {
  const { stringify, parse } = JSON;
  const { create, freeze } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const waiting: Record<string, Waiting> = create(null);
  let calls = 0;

  // VMs that start in the same millisecond would have the same random numbers.
  Math.random = random;

  const callHost = (path: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      const text = stringify(args);
      const call = `${++calls}`;
      waiting[call] = { resolve, reject, error: new Error() };
      host("call", call, path, text);
    });

  const show = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return String(value);
    try {
      return value instanceof Error ? `${value}` : String(stringify(value));
    } catch {
      return "[value that cannot be displayed]";
    }
  };

  const describe = (error: unknown): [message: string, stack: string] => {
    try {
      if (error === null || typeof error !== "object") return [`threw ${show(error)}`, ""];
      const { name, message, stack } = error as Error;
      return [`${name}: ${message}`, `${stack}`];
    } catch {
      return ["threw a value that cannot be displayed", ""];
    }
  };

  const finish = (value: unknown) => host("done", stringify(value) ?? "null");
  const fail = (error: unknown) => {
    const [message, stack] = describe(error);
    host("failed", message.slice(0, 2_000), stack.slice(0, 10_000));
  };

  const log = (...values: unknown[]) => host("log", values.map(show).join(" "));
  const console = freeze({ log, info: log, warn: log, error: log, debug: log });

  /** `["session.notepad.read"]` becomes `{ session: { notepad: { read() } } }`. */
  const buildApi = (paths: string[]): Record<string, unknown> => {
    const root = create(null);
    for (const path of paths) {
      const names = path.split(".");
      const last = names.pop() as string;
      let at = root;
      for (const name of names) at = at[name] ??= create(null);
      at[last] = (...args: unknown[]) => callHost(path, args);
    }
    const seal = (value: Record<string, unknown>) => {
      for (const each of Object.values(value))
        if (typeof each === "object") seal(each as Record<string, unknown>);
      return freeze(value);
    };
    return seal(root);
  };

  const none = freeze(create(null));
  const { session = none, state = none, tools = none } = buildApi(parse(paths));
  const parsedInput = parse(input);

  return {
    start(program: (...scope: unknown[]) => Promise<unknown>) {
      const run = async () => {
        const value = await program(parsedInput, session, state, tools, console);
        return typeof value === "function" ? value(parsedInput) : value;
      };
      apply(then, apply(then, run(), [finish]), [undefined, fail]);
    },
    settle(call: string, failed: string, text: string) {
      const entry = waiting[call];
      delete waiting[call];
      if (!entry) return;
      const value = text === "" ? undefined : parse(text);
      if (failed === "") entry.resolve(value);
      else entry.reject(Object.assign(entry.error, { message: value.message, code: value.code }));
    },
  };
}

// Loads the type stripper now, so that it does not count against the program's time.
strip("0");

resume(() => {
  const source = prepare(start.code);
  if (start.checkOnly) {
    vm.compile(source, programName);
    finish({ kind: "done", value: "null" });
  }
  const boot = vm.evalCode(`(${bootGuest})`, "sandbox");
  const guest = vm.callFunction(
    boot,
    vm.undefined,
    vm.newFunction("host", (...args) => {
      receive(args);
      return vm.undefined;
    }),
    vm.newFunction("random", () => vm.newNumber(Math.random())),
    vm.newString(start.input),
    vm.newString(JSON.stringify(start.paths)),
  );
  const settle = guest.getProp("settle");
  port.on("message", ({ call, ok, text }: ToWorker) =>
    resume(() => {
      unanswered.delete(call);
      const texts = [String(call), ok ? "" : "failed", text].map((each) => vm.newString(each));
      vm.callFunction(settle, vm.undefined, ...texts).dispose();
      for (const handle of texts) handle.dispose();
    }),
  );
  vm.callFunction(guest.getProp("start"), vm.undefined, vm.evalCode(source, programName));
});
