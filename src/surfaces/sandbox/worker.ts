import { parentPort, workerData } from "node:worker_threads";
import type { RunLimits } from "./limits.ts";
import {
  explain,
  LimitReached,
  type Listener,
  limitIn,
  Machine,
  type Prepared,
  prepareProgram,
} from "./machine.ts";
import {
  type FromWorker,
  type ProgramEnd,
  sharedNow,
  type ToWorker,
  type WorkerSetting,
} from "./protocol.ts";

/** Characters of log to buffer before sending. */
const logBatch = 8_192;
/** Max characters of arguments in unanswered calls, as a multiple of the output limit. */
const unansweredFactor = 10;
/** Max programs to cache after type stripping. */
const maxCached = 100;

/** Longer programs are not cached. */
const maxCachedLength = 20_000;
/** The report of QuickJS when it has no memory left to create the error. */
const emptyError = /^threw null$|<null>/;
const unhandledText = "A call failed and the program did not await it. Await every call to see its error.";

const port = parentPort;
if (!port) throw new Error("The sandbox runs this file as a worker; it does not run on its own.");
const { engine, limits: sandboxLimits, clock } = workerData as WorkerSetting;
const machine = new Machine(engine, sandboxLimits);
const times = new Float64Array(clock);
const prepared = new Map<string, Prepared>();
let current: Run | undefined;
let ready = machine.renew(false);

const send = (message: FromWorker) => port.postMessage(message);

/** One run of a program. */
class Run implements Listener {
  readonly id: number;
  readonly #limits: RunLimits;
  readonly #deadline: number;
  #logged = "";
  #logCharacters = 0;
  #calls = 0;
  /** Unanswered calls, with the length of their arguments. */
  readonly #waiting = new Map<number, number>();
  #reached: LimitReached | undefined;
  #end: ProgramEnd | undefined;
  #retire = false;

  constructor(id: number, limits: RunLimits) {
    this.id = id;
    this.#limits = limits;
    this.#deadline = sharedNow() + limits.wallMilliseconds;
    times[1] = 0;
  }

  /** Runs the program until it waits or ends, measures its CPU time, and reports the end to the host. */
  resume(work: () => void): void {
    times[0] = sharedNow();
    try {
      work();
      if (this.#reached) throw this.#reached;
    } catch (error) {
      this.#end = explain(this.#reached ?? error);
    }
    if (this.#end?.kind === "failed" && emptyError.test(this.#end.message) && machine.isFull)
      this.#end = { kind: "limit", limit: "memory" };
    const took = sharedNow() - (times[0] ?? 0);
    // In this order, the host never counts the same time twice.
    times[0] = 0;
    times[1] = (times[1] ?? 0) + took;
    const answered = this.#waiting.size === 0;
    if (!this.#end && answered) {
      const message = "The program awaits a promise that will never settle.";
      this.#end = { kind: "failed", message, line: undefined };
    }
    // The program is not over while calls it did not await are unanswered.
    const isOver = this.#end && (this.#end.kind !== "done" || answered);
    if (isOver && machine.unhandledRejections > 0) this.log(unhandledText);
    this.#flush();
    if (this.#end && isOver) this.close(this.#end);
  }

  close(end: ProgramEnd): void {
    current = undefined;
    send({ type: "end", run: this.id, end, retire: this.#retire });
    // After the answer, so that no program waits for the new VM.
    ready = ready.then(() => machine.renew(end.kind !== "limit"));
  }

  answered(call: number): void {
    this.#waiting.delete(call);
  }

  call(call: number, path: string, args: string): void {
    if (++this.#calls > this.#limits.operations) this.#reached ??= new LimitReached("operations");
    this.#waiting.set(call, args.length);
    const unanswered = this.#waiting.values().reduce((sum, length) => sum + length, 0);
    if (unanswered > unansweredFactor * this.#limits.outputCharacters) this.overflow();
    if (this.#reached) return;
    this.#flush();
    send({ type: "call", run: this.id, call, path, args });
  }

  log(text: string): void {
    this.#logCharacters += text.length + 1;
    if (this.#logCharacters > this.#limits.outputCharacters) this.#reached ??= new LimitReached("output");
    if (this.#reached) return;
    this.#logged += `${text}\n`;
    if (this.#logged.length > logBatch) this.#flush();
  }

  done(value: string): void {
    if (value.length > this.#limits.outputCharacters) this.#reached ??= new LimitReached("output");
    this.#end ??= { kind: "done", value };
  }

  failed(message: string, line: number | undefined): void {
    this.#reached ??= limitIn(message);
    this.#end ??= { kind: "failed", message: message.slice(0, 2_000), line };
  }

  refused({ message, line, parserBroke = false }: Extract<Prepared, { ok: false }>): void {
    this.#retire = parserBroke;
    this.#end = { kind: "syntax", message, line };
  }

  get isOver(): boolean {
    return this.#reached !== undefined;
  }

  overflow(): void {
    this.#reached ??= new LimitReached("output");
  }

  tick(): void {
    if (this.#reached) throw this.#reached;
    const now = sharedNow();
    const used = (times[1] ?? 0) + now - (times[0] ?? 0);
    if (used > this.#limits.cpuMilliseconds) throw new LimitReached("cpu");
    if (now > this.#deadline) throw new LimitReached("wall");
  }

  #flush(): void {
    if (this.#logged === "") return;
    send({ type: "log", run: this.id, text: this.#logged });
    this.#logged = "";
  }
}

port.on("message", (message: ToWorker) => {
  if (message.type === "run") ready = ready.then(() => begin(message));
  else if (current?.id === message.run) {
    const run = current;
    run.resume(() => {
      run.answered(message.call);
      machine.settle(message.call, message.ok, message.text);
    });
  }
});

function begin({ run: id, code, input, paths, limits, checkOnly }: Extract<ToWorker, { type: "run" }>): void {
  const run = new Run(id, limits);
  current = run;
  run.resume(() => {
    const program = prepare(code);
    if (!program.ok) run.refused(program);
    else if (checkOnly) {
      machine.check(program.source, run);
      run.done("null");
    } else machine.start(program.source, input, paths, run);
  });
}

function prepare(code: string): Prepared {
  const known = prepared.get(code);
  if (known) return known;
  const program = prepareProgram(code);
  if (prepared.size >= maxCached) prepared.clear();
  if (code.length <= maxCachedLength) prepared.set(code, program);
  return program;
}

// Loads the type stripper now, so that it does not count against a program's time.
prepareProgram("0");
void ready.then(() => send({ type: "ready" }));
