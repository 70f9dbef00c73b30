import { stripTypeScriptTypes } from "node:module";
import { JSException, type JSValueHandle, QuickJS, type Snapshot } from "quickjs-wasi";
import { dropTrailing } from "../../engine/text.ts";
import type { LimitName, SandboxLimits } from "./limits.ts";
import type { Engine, EngineMemory, ProgramEnd } from "./protocol.ts";

/** Receives what a running program sends. */
export interface Listener {
  call(call: number, path: string, args: string): void;
  log(text: string): void;
  done(value: string): void;
  failed(message: string, line: number | undefined): void;
  /** The program has reached a limit and should stop. */
  readonly isOver: boolean;
  /** The program sent a text that is too long. */
  overflow(): void;
  /** Called repeatedly while the program runs; throws to end it. */
  tick(): void;
}

/** Ends a program from inside: thrown through the engine, whose memory is not used afterwards. */
export class LimitReached extends Error {
  readonly limit: LimitName;

  constructor(limit: LimitName) {
    super(`The program reached its ${limit} limit.`);
    this.limit = limit;
  }
}

interface Guest {
  vm: QuickJS;
  memory: EngineMemory;
  offer: JSValueHandle;
  start: JSValueHandle;
  settle: JSValueHandle;
  /** The API paths that programs can call, as JSON. */
  paths: string;
  /** The VM before any program. */
  pristine: Snapshot;
  programs: number;
}

/** Max programs per VM: its wrapper leaks a little for each one that fails. */
const maxPrograms = 1_000;

/** Max length of a text from the guest, regardless of its memory limit. */
const maxTextLength = 16_000_000;

/** Holds one VM, restored to a clean state for every program. */
export class Machine {
  readonly #engine: Engine;
  readonly #limits: SandboxLimits;
  #guest: Guest | undefined;
  #listener: Listener | undefined;
  /** Promises that were rejected without a handler. */
  readonly #rejected = new Set<number>();

  constructor(engine: Engine, limits: SandboxLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Prepares a clean VM; fast if the current one can be restored from its snapshot. */
  async renew(reusable: boolean): Promise<void> {
    this.#listener = undefined;
    this.#rejected.clear();
    const guest = this.#guest;
    const unchanged = guest?.memory.buffer.byteLength === guest?.pristine.memory.byteLength;
    if (guest && reusable && unchanged && guest.programs++ < maxPrograms) {
      // The VM's whole state is in this memory, so nothing of the last program remains.
      new Uint8Array(guest.memory.buffer).set(guest.pristine.memory);
    } else {
      this.#guest = undefined;
      this.#guest = await this.#create();
    }
  }

  /** Runs the program until it waits for something or ends. */
  start(source: string, input: string, paths: readonly string[], listener: Listener): void {
    const { vm, start } = this.#withApi(JSON.stringify(paths));
    this.#listener = listener;
    const program = this.#compiled(() => vm.evalCode(source, programName));
    const seed = String(crypto.getRandomValues(new Int32Array(1))[0]);
    const texts = [input, seed].map((text) => vm.newString(text));
    vm.callFunction(start, vm.undefined, program, ...texts);
    vm.executePendingJobs();
  }

  /** Checks that the program compiles, without running it. */
  check(source: string, listener: Listener): void {
    const { vm } = this.#ready();
    this.#listener = listener;
    this.#compiled(() => vm.compile(source, programName));
  }

  /** Answers a call and lets the program continue. */
  settle(call: number, ok: boolean, text: string): void {
    const { vm, settle } = this.#ready();
    const texts = [String(call), ok ? "" : "failed", text].map((each) => vm.newString(each));
    vm.callFunction(settle, vm.undefined, ...texts);
    for (const handle of texts) handle.dispose();
    vm.executePendingJobs();
  }

  get unhandledRejections(): number {
    return this.#rejected.size;
  }

  /** Whether memory is nearly used up: QuickJS then cannot even create an error. */
  get isFull(): boolean {
    return this.#ready().memory.buffer.byteLength > 0.75 * this.#limits.memoryBytes;
  }

  #compiled<T>(compile: () => T): T {
    try {
      return compile();
    } catch (error) {
      if (error instanceof JSException && error.name === "SyntaxError")
        throw new SyntaxError(error.message, { cause: error });
      throw error;
    }
  }

  /** The VM with the API for these paths; usually the same as for the last program, so it is already there. */
  #withApi(paths: string): Guest {
    const guest = this.#ready();
    if (guest.paths === paths) return guest;
    const text = guest.vm.newString(paths);
    guest.vm.callFunction(guest.offer, guest.vm.undefined, text).dispose();
    text.dispose();
    guest.paths = paths;
    guest.pristine = guest.vm.snapshot();
    return guest;
  }

  #ready(): Guest {
    if (!this.#guest) throw new Error("The VM is not ready.");
    return this.#guest;
  }

  async #create(): Promise<Guest> {
    let memory: EngineMemory | undefined;
    const vm = await QuickJS.create({
      wasm: this.#engine,
      memoryLimit: this.#limits.memoryBytes,
      maxStackSize: this.#limits.stackBytes,
      interruptHandler: () => {
        this.#listener?.tick();
        return false;
      },
      onUnhandledRejection: (promise: JSValueHandle, _reason: JSValueHandle, isHandled: boolean) => {
        if (isHandled) this.#rejected.delete(promise.identity);
        else this.#rejected.add(promise.identity);
      },
      // A program sees the time but not the host's time zone, and has no standard output.
      timezoneOffset: 0,
      wasi: (own: EngineMemory) => {
        memory = own;
        return { fd_write: () => 0 };
      },
    });
    if (!memory) throw new Error("QuickJS did not expose its memory.");
    // Created before the snapshot: restoring it invalidates any later handle.
    const [yes, no] = [vm.true, vm.false];
    const host = vm.newFunction("host", (...args) => {
      this.#receive(args);
      return this.#listener?.isOver ? yes : no;
    });
    const boot = vm.evalCode(`(${bootGuest.toString()})`, "sandbox");
    const entryPoints = vm.callFunction(boot, vm.undefined, host);
    const offer = entryPoints.getProp("offer");
    const start = entryPoints.getProp("start");
    const settle = entryPoints.getProp("settle");
    for (const handle of [host, boot, entryPoints]) handle.dispose();
    reserveMemory(vm);
    return { vm, memory, offer, start, settle, paths: "[]", pristine: vm.snapshot(), programs: 0 };
  }

  /** The guest code only sends strings; anything else is forged and ignored. */
  #receive(args: readonly JSValueHandle[]): void {
    const listener = this.#listener;
    if (!listener || !args.every((arg) => arg.isString)) return;
    if (args.some((arg) => lengthOf(arg) > maxTextLength)) {
      listener.overflow();
      return;
    }
    const [kind = "", first = "", second = "", third = ""] = args.map((arg) => arg.toString());
    if (kind === "call") listener.call(Number(first), second, third);
    else if (kind === "log") listener.log(first);
    else if (kind === "done") listener.done(first);
    else if (kind === "failed") listener.failed(first, lineOf(second));
  }
}

/** Reserves free memory, so that small programs do not grow it and their VM can be restored from its snapshot. */
function reserveMemory(vm: QuickJS): void {
  vm.evalCode("void new ArrayBuffer(400_000)").dispose();
  vm.runGC();
}

function lengthOf(text: JSValueHandle): number {
  return text.getProp("length").consume((length) => length.toNumber());
}

/** How a program ended whose exception reached the host. */
export function explain(error: unknown): ProgramEnd {
  if (error instanceof LimitReached) return { kind: "limit", limit: error.limit };
  if (error instanceof SyntaxError) {
    const { stack = "" } = error.cause as JSException;
    return { kind: "syntax", message: error.message, line: lineOf(stack) };
  }
  if (error instanceof JSException) {
    const message = `${error.name}: ${error.message}`;
    const limit = limitIn(message)?.limit;
    return limit ? { kind: "limit", limit } : { kind: "failed", message, line: lineOf(error.stack ?? "") };
  }
  // A RangeError here is V8's stack overflow; anything else that breaks the engine is a failed allocation.
  return { kind: "limit", limit: error instanceof RangeError ? "stack" : "memory" };
}

/** QuickJS reports these two limits as exceptions. */
export function limitIn(message: string): LimitReached | undefined {
  if (message === "InternalError: out of memory") return new LimitReached("memory");
  if (message === "RangeError: Maximum call stack size exceeded") return new LimitReached("stack");
  return undefined;
}

function lineOf(stack: string): number | undefined {
  return Number(stack.match(/\bprogram:(\d+)/)?.[1]) || undefined;
}

/** How the guest calls the host: only strings cross the boundary. Returns true once the program has reached a limit. */
type HostCall = (kind: string, ...texts: string[]) => boolean;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs first in every VM. The host passes it as source text, so it must not use anything outside itself.
 * A program that tampers with built-in objects only harms itself: the host trusts nothing from here.
 */
function bootGuest(host: HostCall) {
  const { stringify, parse } = JSON;
  const { create, freeze } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const waiting: Record<string, Waiting> = create(null);
  let calls = 0;

  /** The host is about to end the program; throwing stops it until then. */
  const stopIf = (isOver: boolean) => {
    if (isOver) throw new Error("The program reached a limit.");
  };

  const callHost = (path: string, args: unknown[]) => {
    let isOver = false;
    const answer = new Promise((resolve, reject) => {
      const text = stringify(args);
      const call = `${++calls}`;
      waiting[call] = { resolve, reject };
      isOver = host("call", call, path, text);
    });
    stopIf(isOver);
    return answer;
  };

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
    host("failed", message, stack);
  };

  const log = (...values: unknown[]) => stopIf(host("log", values.map(show).join(" ")));
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

  /** Every VM starts from the same snapshot, so randomness has to come from outside. */
  const seedRandom = (seed: number) => {
    let state = seed;
    Math.random = () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  };

  const none = freeze(create(null));
  let api: Record<string, unknown> = none;

  return {
    offer(paths: string) {
      api = buildApi(parse(paths));
    },
    start(program: (...scope: unknown[]) => Promise<unknown>, input: string, seed: string) {
      seedRandom(+seed | 0);
      const parsedInput = parse(input);
      const { session = none, state = none, tools = none } = api;
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
      else entry.reject(Object.assign(new Error(value.message), { code: value.code }));
    },
  };
}

/** A program as the VM expects it: an expression that evaluates to an async function. */
export type Prepared =
  | { ok: true; source: string }
  | {
      ok: false;
      message: string;
      line: number | undefined;
      /** The parser overflowed its stack and cannot be used again. */
      parserBroke?: boolean;
    };

/** The program's file name in the VM's stack traces. */
const programName = "program";

const head = `(async function ${programName}(input, session, state, tools, console) {"use strict";`;

/**
 * Strips the types and wraps the code in an async function, keeping line numbers. A program that is a single
 * expression returns its value; any other is the body of the function.
 */
export function prepareProgram(code: string): Prepared {
  const expression = dropTrailing(code.trimEnd(), ";");
  const value = expression === "" ? undefined : strip(`${head}return (${expression}\n)\n})`);
  if (value?.ok || value?.parserBroke) return value;
  return strip(`${head}${code.replace(/^([ \t]*)export[ \t]+default\b/m, "$1return        ")}\n})`);
}

function strip(source: string): Prepared {
  try {
    return { ok: true, source: stripTypeScriptTypes(source, { mode: "strip", sourceUrl: programName }) };
  } catch (error) {
    const { code, message, stack = "" } = error as NodeJS.ErrnoException;
    if (code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" && code !== "ERR_INVALID_TYPESCRIPT_SYNTAX")
      return { ok: false, message: "The program is nested too deeply.", line: undefined, parserBroke: true };
    const line = Number(stack.match(/^program:(\d+)/)?.[1]) || undefined;
    const unsupported =
      code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
        ? " Only type annotations are supported: no enums, namespaces, parameter properties or <type> casts."
        : "";
    return { ok: false, message: `${firstLine(message)}.${unsupported}`, line };
  }
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/\.$/, "");
}
