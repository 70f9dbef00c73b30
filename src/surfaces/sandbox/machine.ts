import { JSException, type JSValueHandle, QuickJS, type Snapshot } from "quickjs-wasi";
import { bootGuest } from "./guest.ts";
import type { LimitName, SandboxLimits } from "./limits.ts";
import type { Engine, EngineMemory } from "./load-engine.ts";
import { programName } from "./prepare-program.ts";
import type { ProgramEnd } from "./protocol.ts";

/** What a running program does to the outside, as it happens. */
export interface Listener {
  call(call: number, path: string, args: string): void;
  log(text: string): void;
  done(value: string): void;
  failed(message: string, line: number | undefined): void;
  /** It ran into a limit, and should not go on. */
  readonly isOver: boolean;
  /** It sent more than anybody would read. */
  overflow(): void;
  /** Asked again and again while the program runs; throws to end it. */
  tick(): void;
}

/** Ends a program from within: thrown through the engine, whose memory nobody looks at afterwards. */
export class LimitReached extends Error {
  readonly limit: LimitName;

  constructor(limit: LimitName) {
    super(`The program ran into its ${limit} limit.`);
    this.limit = limit;
  }
}

interface Guest {
  vm: QuickJS;
  memory: EngineMemory;
  offer: JSValueHandle;
  start: JSValueHandle;
  settle: JSValueHandle;
  /** What programs can call in it, as JSON. */
  paths: string;
  /** The VM before any program. */
  pristine: Snapshot;
  programs: number;
}

/** Programs for one VM; its wrapper remembers a little of each that failed. */
const mostPrograms = 1_000;

/** The texts a guest can send are never longer than this, whatever its memory holds. */
const longestText = 16_000_000;

/** One VM at a time, which is as new for every program. */
export class Machine {
  readonly #engine: Engine;
  readonly #limits: SandboxLimits;
  #guest: Guest | undefined;
  #listener: Listener | undefined;
  /** Promises that were rejected while nobody waited for them. */
  readonly #rejected = new Set<number>();

  constructor(engine: Engine, limits: SandboxLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Makes the next VM ready; quick when the last one can be wound back. */
  async renew(reusable: boolean): Promise<void> {
    this.#listener = undefined;
    this.#rejected.clear();
    const guest = this.#guest;
    const unchanged = guest?.memory.buffer.byteLength === guest?.pristine.memory.byteLength;
    if (guest && reusable && unchanged && guest.programs++ < mostPrograms) {
      // All that a VM is lies in this memory, so nothing of the last program is left.
      new Uint8Array(guest.memory.buffer).set(guest.pristine.memory);
    } else {
      this.#guest = undefined;
      this.#guest = await this.#create();
    }
  }

  /** Runs the program until it waits for something or ends. */
  start(source: string, input: string, paths: readonly string[], listener: Listener): void {
    const { vm, start } = this.#offering(JSON.stringify(paths));
    this.#listener = listener;
    const program = this.#compiled(() => vm.evalCode(source, programName));
    const seed = String(crypto.getRandomValues(new Int32Array(1))[0]);
    const texts = [input, seed].map((text) => vm.newString(text));
    vm.callFunction(start, vm.undefined, program, ...texts);
    vm.executePendingJobs();
  }

  /** Sees whether the program compiles, and runs nothing. */
  check(source: string, listener: Listener): void {
    const { vm } = this.#ready();
    this.#listener = listener;
    this.#compiled(() => vm.compile(source, programName));
  }

  /** Answers a call and lets the program go on. */
  settle(call: number, ok: boolean, text: string): void {
    const { vm, settle } = this.#ready();
    const texts = [String(call), ok ? "" : "failed", text].map((each) => vm.newString(each));
    vm.callFunction(settle, vm.undefined, ...texts);
    for (const handle of texts) handle.dispose();
    vm.executePendingJobs();
  }

  /** How many promises failed without anybody hearing of it. */
  get unheard(): number {
    return this.#rejected.size;
  }

  /** Whether the memory is as good as used up: then QuickJS cannot even make an error of it. */
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

  /** The VM with what programs can call in it; mostly the same as last time, and then it is there already. */
  #offering(paths: string): Guest {
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
      // A program sees the time, but not where its host is; and it has no standard output.
      timezoneOffset: 0,
      wasi: (own: EngineMemory) => {
        memory = own;
        return { fd_write: () => 0 };
      },
    });
    if (!memory) throw new Error("QuickJS did not hand out its memory.");
    // Made before the snapshot: a handle to what came after it would point to anything.
    const [yes, no] = [vm.true, vm.false];
    const host = vm.newFunction("host", (...args) => {
      this.#hear(args);
      return this.#listener?.isOver ? yes : no;
    });
    const boot = vm.evalCode(`(${bootGuest.toString()})`, "sandbox");
    const kit = vm.callFunction(boot, vm.undefined, host);
    const offer = kit.getProp("offer");
    const start = kit.getProp("start");
    const settle = kit.getProp("settle");
    for (const handle of [host, boot, kit]) handle.dispose();
    leaveRoom(vm);
    return { vm, memory, offer, start, settle, paths: "[]", pristine: vm.snapshot(), programs: 0 };
  }

  /** The guest part only ever sends texts; anything else was forged, and is nothing. */
  #hear(args: readonly JSValueHandle[]): void {
    const listener = this.#listener;
    if (!listener || !args.every((arg) => arg.isString)) return;
    if (args.some((arg) => lengthOf(arg) > longestText)) {
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

/** Some free memory from the start, so that small programs need not grow it, and their VM can be wound back. */
function leaveRoom(vm: QuickJS): void {
  vm.evalCode("void new ArrayBuffer(400_000)").dispose();
  vm.runGC();
}

function lengthOf(text: JSValueHandle): number {
  return text.getProp("length").consume((length) => length.toNumber());
}

/** How a program ended that threw all the way to the host. */
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
  // Not QuickJS but V8 says that the stack gave out; whatever else breaks the engine is memory it did not get.
  return { kind: "limit", limit: error instanceof RangeError ? "stack" : "memory" };
}

/** QuickJS tells of these two limits by exceptions. */
export function limitIn(message: string): LimitReached | undefined {
  if (message === "InternalError: out of memory") return new LimitReached("memory");
  if (message === "RangeError: Maximum call stack size exceeded") return new LimitReached("stack");
  return undefined;
}

function lineOf(stack: string): number | undefined {
  return Number(stack.match(/\bprogram:(\d+)/)?.[1]) || undefined;
}
