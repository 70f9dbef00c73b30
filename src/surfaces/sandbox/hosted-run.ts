import type { Json } from "../../engine/json.ts";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import type { LimitName, SandboxLimits } from "./limits.ts";
import { type FromWorker, type ProgramEnd, sharedNow, type ToWorker } from "./protocol.ts";
import type { Program, SandboxResult } from "./sandbox.ts";

/** Milliseconds a program may exceed its limit before the host kills it. */
const graceMilliseconds = 100;
/** Milliseconds to wait for the pending calls of a killed program. */
const drainMilliseconds = 300;

const maxConcurrentCalls = 16;

type CallMessage = Extract<FromWorker, { type: "call" }>;

/** How a run ended: as reported by its worker, or ended from outside. */
export type End = ProgramEnd | { kind: "aborted" | "closed" } | { kind: "broken"; message: string };

/** The host's side of a run: answers the program's calls, collects its log and enforces its limits. */
export class HostedRun {
  readonly ended: Promise<End>;
  /** Whether the worker ended the run itself and can take the next one. */
  workerIsReusable = false;
  readonly #id: number;
  readonly #program: Program;
  readonly #limits: SandboxLimits;
  readonly #post: (message: ToWorker) => void;
  readonly #queuedCalls: CallMessage[] = [];
  readonly #calls = new Set<Promise<void>>();
  readonly #over = new AbortController();
  #resolve: (end: End) => void = () => undefined;
  #isOver = false;
  #deadline = Number.POSITIVE_INFINITY;
  #operations = 0;
  #answered = 0;
  #logs = "";

  constructor(id: number, program: Program, limits: SandboxLimits, post: (message: ToWorker) => void) {
    this.#id = id;
    this.#program = program;
    this.#limits = limits;
    this.#post = post;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    program.signal?.addEventListener("abort", () => this.end({ kind: "aborted" }), {
      once: true,
      signal: this.#over.signal,
    });
  }

  start(checkOnly: boolean): void {
    if (this.#isOver) return;
    const { code, input, api } = this.#program;
    this.#deadline = sharedNow() + this.#limits.wallMilliseconds;
    const { cpuMilliseconds, wallMilliseconds, outputCharacters, operations } = this.#limits;
    this.#post({
      type: "run",
      run: this.#id,
      code,
      input: JSON.stringify(input) ?? "null",
      paths: api?.paths ?? [],
      limits: { cpuMilliseconds, wallMilliseconds, outputCharacters, operations },
      checkOnly,
    });
  }

  end(end: End): void {
    this.#isOver = true;
    this.#resolve(end);
  }

  receive(message: Exclude<FromWorker, { type: "ready" }>): void {
    if (message.run !== this.#id || this.#isOver) return;
    if (message.type === "end") {
      this.workerIsReusable = !message.retire;
      this.end(message.end);
    } else if (message.type === "log") this.#log(message.text);
    else if (++this.#operations > this.#limits.operations) this.end({ kind: "limit", limit: "operations" });
    else {
      this.#queuedCalls.push(message);
      this.#answerQueued();
    }
  }

  /** Ends a program that has exceeded a limit without stopping itself. */
  enforceTimeLimits(times: Float64Array): void {
    const now = sharedNow();
    const [since = 0, used = 0] = times;
    const cpu = used + (since === 0 ? 0 : now - since);
    if (cpu > this.#limits.cpuMilliseconds + graceMilliseconds) this.end({ kind: "limit", limit: "cpu" });
    else if (now > this.#deadline + graceMilliseconds) this.end({ kind: "limit", limit: "wall" });
  }

  /** The result, after waiting for the program's pending calls. */
  async conclude(end: End): Promise<SandboxResult> {
    const timeout = this.workerIsReusable ? Math.max(0, this.#deadline - sharedNow()) : drainMilliseconds;
    if (this.#calls.size > 0) await settledWithin(this.#calls, timeout);
    this.#over.abort();
    const logs = this.#logs;
    if (end.kind === "done") return { ok: true, value: JSON.parse(end.value) as Json, logs };
    return { ok: false, ...describeEnd(end, this.#limits), logs };
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
    if (this.#logs.length > 2 * this.#limits.outputCharacters) this.end({ kind: "limit", limit: "output" });
  }

  async #answer({ call, path, args }: CallMessage): Promise<void> {
    const { api } = this.#program;
    const answer = { type: "settle", run: this.#id, call } as const;
    try {
      if (!api?.paths.includes(path))
        throw new HoldfastError("invalid_input", `There is no ${path} to call.`);
      const { value, warnings = [] } = await api.call(path, JSON.parse(args) as Json[], this.#over.signal);
      for (const warning of warnings) this.#log(`${path}: ${warning}\n`);
      this.#reply({ ...answer, ok: true, text: this.#checkLength(path, JSON.stringify(value) ?? "") });
    } catch (error) {
      const message = messageOf(error);
      const code = isHoldfastError(error) ? error.code : "program_failed";
      if (this.#isOver) this.#log(`${path} failed: ${message}\n`);
      this.#reply({ ...answer, ok: false, text: JSON.stringify({ message, code }) });
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

  #reply(message: Extract<ToWorker, { type: "settle" }>): void {
    if (this.#isOver) return;
    // Calls that the program does not await would pile up answers in the host.
    this.#answered += message.text.length;
    if (this.#answered > this.#limits.memoryBytes) this.end({ kind: "limit", limit: "memory" });
    else this.#post(message);
  }
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
      return { code: "program_failed", ...withLine(`${end.message}${hint(end.message)}`, end.line) };
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
