import type { Worker } from "node:worker_threads";
import type { Json } from "../../engine/json.ts";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { type LimitName, type SandboxLimits, sharedNow } from "./limits.ts";
import type { Program, SandboxResult } from "./sandbox.ts";
import type { FromWorker, ProgramEnd, ToWorker } from "./worker.ts";

/** How often the host checks a running program's limits. */
const checkIntervalMilliseconds = 50;
/** Milliseconds a program may exceed its CPU limit before the host kills it. */
const graceMilliseconds = 100;
/** Milliseconds to wait for the pending calls of a killed program. */
const drainMilliseconds = 300;

const maxConcurrentCalls = 16;

type CallMessage = Extract<FromWorker, { type: "call" }>;

/** How a program ended: as reported by its worker, or ended from outside. */
type End = ProgramEnd | { kind: "aborted" | "closed" } | { kind: "broken"; message: string };

/**
 * Answers the calls of a program in a worker, collects its log and enforces its limits. Kills the worker at the end,
 * and returns when it is gone and nothing of the program follows.
 */
export class Supervisor {
  readonly #worker: Worker;
  readonly #program: Program;
  readonly #limits: SandboxLimits;
  readonly #ended = Promise.withResolvers<End>();
  readonly #queuedCalls: CallMessage[] = [];
  readonly #calls = new Set<Promise<void>>();
  readonly #over = new AbortController();
  readonly #deadline: number;
  #isOver = false;
  #operations = 0;
  #answered = 0;
  #logs = "";

  constructor(worker: Worker, program: Program, limits: SandboxLimits) {
    this.#worker = worker;
    this.#program = program;
    this.#limits = limits;
    this.#deadline = sharedNow() + limits.wallMilliseconds;
    worker.on("message", (message: FromWorker) => this.#receive(message));
    // Messages that were sent before an error arrive before the exit, but not always before the error.
    let failure: End = { kind: "broken", message: "its worker ended" };
    worker.on("error", (error) => {
      failure = endOf(error);
    });
    worker.on("exit", () => this.#end(failure));
  }

  /** `cpuDeadline` is shared with the worker. `closing` aborts when the sandbox closes. */
  async result(cpuDeadline: Float64Array, closing: AbortSignal): Promise<SandboxResult> {
    this.#endOn(this.#program.signal, { kind: "aborted" });
    this.#endOn(closing, { kind: "closed" });
    const checking = setInterval(() => this.#enforceTime(cpuDeadline), checkIntervalMilliseconds);
    const end = await this.#ended.promise;
    clearInterval(checking);
    await this.#worker.terminate();
    // A program that failed may have calls that it did not await.
    const patience = end.kind === "failed" ? this.#deadline - sharedNow() : drainMilliseconds;
    if (this.#calls.size > 0) await settledWithin(this.#calls, patience);
    this.#over.abort();
    return this.#describe(end);
  }

  #endOn(signal: AbortSignal | undefined, end: End): void {
    if (signal?.aborted) this.#end(end);
    signal?.addEventListener("abort", () => this.#end(end), { signal: this.#over.signal });
  }

  #end(end: End): void {
    this.#isOver = true;
    this.#ended.resolve(end);
  }

  #receive(message: FromWorker): void {
    if (this.#isOver) return;
    if (message.type === "end") this.#end(message.end);
    else if (message.type === "log") this.#log(message.text);
    else if (++this.#operations > this.#limits.operations) this.#end({ kind: "limit", limit: "operations" });
    else {
      this.#queuedCalls.push(message);
      this.#answerQueued();
    }
  }

  /** Ends a program that has exceeded a limit without stopping itself. */
  #enforceTime([cpuDeadline = 0]: Float64Array): void {
    const now = sharedNow();
    if (cpuDeadline > 0 && now > cpuDeadline + graceMilliseconds) this.#end({ kind: "limit", limit: "cpu" });
    else if (now > this.#deadline) this.#end({ kind: "limit", limit: "wall" });
  }

  /** Runs a few calls at once; the queued calls of a killed program never run. */
  #answerQueued(): void {
    while (this.#calls.size < maxConcurrentCalls && !this.#isOver) {
      const call = this.#queuedCalls.shift();
      if (!call) return;
      const answering = this.#answer(call).finally(() => {
        this.#calls.delete(answering);
        this.#answerQueued();
      });
      this.#calls.add(answering);
    }
  }

  #log(text: string): void {
    this.#logs += text;
    if (this.#logs.length > 2 * this.#limits.outputCharacters) this.#end({ kind: "limit", limit: "output" });
  }

  async #answer({ call, path, args }: CallMessage): Promise<void> {
    const { api } = this.#program;
    try {
      if (!api?.paths.includes(path))
        throw new HoldfastError("invalid_input", `There is no ${path} to call.`);
      const { value, warnings = [] } = await api.call(path, JSON.parse(args) as Json[], this.#over.signal);
      for (const warning of warnings) this.#log(`${path}: ${warning}\n`);
      this.#reply({ call, ok: true, text: this.#checkLength(path, JSON.stringify(value) ?? "") });
    } catch (error) {
      const message = messageOf(error);
      const code = isHoldfastError(error) ? error.code : "program_failed";
      if (this.#isOver) this.#log(`${path} failed: ${message}\n`);
      this.#reply({ call, ok: false, text: JSON.stringify({ message, code }) });
    }
  }

  #checkLength(path: string, text: string): string {
    const maxLength = Math.floor(this.#limits.memoryBytes / 8);
    if (text.length <= maxLength) return text;
    throw new HoldfastError(
      "over_limit",
      `${path} returned ${text.length} characters; a call can return at most ${maxLength}. Request less.`,
    );
  }

  #reply(message: ToWorker): void {
    if (this.#isOver) return;
    // Calls that the program does not await would pile up answers in the host.
    this.#answered += message.text.length;
    if (this.#answered > this.#limits.memoryBytes) this.#end({ kind: "limit", limit: "memory" });
    else this.#worker.postMessage(message);
  }

  #describe(end: End): SandboxResult {
    const logs = this.#logs;
    if (end.kind !== "done") return { ok: false, ...describeEnd(end, this.#limits), logs };
    if (end.value.length <= this.#limits.outputCharacters)
      return { ok: true, value: JSON.parse(end.value) as Json, logs };
    return { ok: false, ...describeEnd({ kind: "limit", limit: "output" }, this.#limits), logs };
  }
}

function endOf(error: unknown): End {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_WORKER_OUT_OF_MEMORY"
    ? { kind: "limit", limit: "memory" }
    : { kind: "broken", message };
}

/** Host tools may throw anything, even a value without a string form; that must not crash the process. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "It failed with an error that cannot be displayed.";
  }
}

async function settledWithin(work: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([Promise.all(work), late]);
  clearTimeout(timer);
}

type Failure = Omit<Extract<SandboxResult, { ok: false }>, "ok" | "logs">;

function describeEnd(end: Exclude<End, { kind: "done" }>, limits: SandboxLimits): Failure {
  switch (end.kind) {
    case "syntax":
      return { code: "syntax_error", ...withLine(end.message, end.line) };
    case "failed":
      return {
        code: "program_failed",
        ...withLine(`${end.message}${hint(end.message)}. ${effectsRemain}`, end.line),
      };
    case "limit":
      return { code: "limit_reached", limit: end.limit, message: overLimit(end.limit, limits) };
    case "aborted":
      return { code: "aborted", message: `The program was aborted. ${effectsRemain}` };
    case "closed":
      return { code: "closed", message: "The sandbox was closed while the program was running." };
    case "broken":
      return { code: "program_failed", message: `The program could not be run: ${end.message}. Try again.` };
  }
}

function withLine(message: string, line: number | undefined): { message: string; line?: number } {
  return line === undefined ? { message } : { message: `Line ${line}: ${message}`, line };
}

/** Models that write programs expect Node.js or a browser. */
function hint(message: string): string {
  return /^ReferenceError: (?:process|require|fetch|module|Buffer|window|document|setTimeout|setInterval|global|Deno|Bun|XMLHttpRequest|WebSocket) is not defined/.test(
    message,
  )
    ? ". There is no network, file system, timer or Node.js here: use input, session, state and tools"
    : "";
}

const effectsRemain = "Everything it did until then remains.";

function overLimit(limit: LimitName, limits: SandboxLimits): string {
  switch (limit) {
    case "cpu":
      return `The program ran for more than ${limits.cpuMilliseconds} ms and was stopped. ${effectsRemain} Do less at once.`;
    case "wall":
      return `The program took more than ${limits.wallMilliseconds} ms and was stopped. ${effectsRemain} Do less at once.`;
    case "memory":
      return `The program needed more than ${limits.memoryBytes} bytes of memory and was stopped. ${effectsRemain} Work on smaller pieces.`;
    case "stack":
      return `The program recursed too deeply and was stopped. ${effectsRemain} Use a loop.`;
    case "output":
      return `The program returned or logged more than ${limits.outputCharacters} characters and was stopped. ${effectsRemain} Return a summary and put the rest into notes.`;
    case "operations":
      return `The program made more than ${limits.operations} calls and was stopped. ${effectsRemain} Do more per call.`;
  }
}
