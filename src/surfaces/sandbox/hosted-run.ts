import type { Json } from "../../engine/json.ts";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import type { LimitName, SandboxLimits } from "./limits.ts";
import { type FromWorker, type ProgramEnd, sharedNow, type ToWorker } from "./protocol.ts";
import type { Program, SandboxResult } from "./sandbox.ts";

/** Milliseconds past its limit after which a program that does not stop by itself is killed. */
const grace = 100;
/** Milliseconds for which the calls of a killed program are waited for. */
const lastCalls = 300;

/** Calls of one program that are worked on at the same time. */
const mostAtOnce = 16;

type Asked = Extract<FromWorker, { type: "call" }>;

/** How a run ended: as its worker saw it, or by what ended it from outside. */
export type End = ProgramEnd | { kind: "aborted" | "closed" } | { kind: "broken"; message: string };

/** One program as its host sees it: answers its calls, keeps its log, and knows when it has had enough. */
export class HostedRun {
  readonly ended: Promise<End>;
  /** Whether the worker ended it by itself and is fit for the next one. */
  obeyed = false;
  readonly #id: number;
  readonly #program: Program;
  readonly #limits: SandboxLimits;
  readonly #post: (message: ToWorker) => void;
  readonly #asked: Asked[] = [];
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

  hear(message: Exclude<FromWorker, { type: "ready" }>): void {
    if (message.run !== this.#id || this.#isOver) return;
    if (message.type === "end") {
      this.obeyed = !message.retire;
      this.end(message.end);
    } else if (message.type === "log") this.#log(message.text);
    else if (++this.#operations > this.#limits.operations) this.end({ kind: "limit", limit: "operations" });
    else {
      this.#asked.push(message);
      this.#answerAsked();
    }
  }

  /** Ends a program that should have ended by itself. */
  look(times: Float64Array): void {
    const now = sharedNow();
    const [since = 0, used = 0] = times;
    const cpu = used + (since === 0 ? 0 : now - since);
    if (cpu > this.#limits.cpuMilliseconds + grace) this.end({ kind: "limit", limit: "cpu" });
    else if (now > this.#deadline + grace) this.end({ kind: "limit", limit: "wall" });
  }

  /** The answer, once the calls that the program left behind are done as well. */
  async conclude(end: End): Promise<SandboxResult> {
    const patience = this.obeyed ? Math.max(0, this.#deadline - sharedNow()) : lastCalls;
    if (this.#calls.size > 0) await settledWithin(this.#calls, patience);
    this.#over.abort();
    const logs = this.#logs;
    if (end.kind === "done") return { ok: true, value: JSON.parse(end.value) as Json, logs };
    return { ok: false, ...describeEnd(end, this.#limits), logs };
  }

  /** A few at once; what a killed program had asked for beyond that never happens. */
  #answerAsked(): void {
    while (this.#calls.size < mostAtOnce && !this.#isOver) {
      const asked = this.#asked.shift();
      if (!asked) return;
      const answering = this.#answer(asked).finally(() => {
        this.#calls.delete(answering);
        this.#answerAsked();
      });
      this.#calls.add(answering);
    }
  }

  #log(text: string): void {
    this.#logs += text;
    if (this.#logs.length > 2 * this.#limits.outputCharacters) this.end({ kind: "limit", limit: "output" });
  }

  async #answer({ call, path, args }: Asked): Promise<void> {
    const { api } = this.#program;
    const answer = { type: "settle", run: this.#id, call } as const;
    try {
      if (!api?.paths.includes(path))
        throw new HoldfastError("invalid_input", `There is no ${path} to call.`);
      const { value, warnings = [] } = await api.call(path, JSON.parse(args) as Json[], this.#over.signal);
      for (const warning of warnings) this.#log(`${path}: ${warning}\n`);
      this.#reply({ ...answer, ok: true, text: this.#fitting(path, JSON.stringify(value) ?? "") });
    } catch (error) {
      const message = messageOf(error);
      const code = isHoldfastError(error) ? error.code : "program_failed";
      if (this.#isOver) this.#log(`${path} failed: ${message}\n`);
      this.#reply({ ...answer, ok: false, text: JSON.stringify({ message, code }) });
    }
  }

  #fitting(path: string, text: string): string {
    const most = Math.floor(this.#limits.memoryBytes / 8);
    if (text.length <= most) return text;
    throw new HoldfastError(
      "over_limit",
      `${path} gave ${text.length} characters; a program can take ${most} at once. Ask for less.`,
    );
  }

  #reply(message: Extract<ToWorker, { type: "settle" }>): void {
    if (this.#isOver) return;
    // A program that asks and asks without waiting would pile its answers up out here.
    this.#answered += message.text.length;
    if (this.#answered > this.#limits.memoryBytes) this.end({ kind: "limit", limit: "memory" });
    else this.#post(message);
  }
}

/** Host tools may throw anything, even what cannot be shown; that must not end the process. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return "It failed with an error that cannot be shown.";
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
      return { code: "syntax_error", ...placed(end.message, end.line) };
    case "failed":
      return { code: "program_failed", ...placed(`${end.message}${hint(end.message)}`, end.line) };
    case "limit":
      return { code: "limit_reached", limit: end.limit, message: overLimit(end.limit, limits) };
    case "aborted":
      return { code: "aborted", message: "The program was aborted. What it had done by then stays done." };
    case "closed":
      return { code: "closed", message: "The sandbox was closed while the program ran." };
    case "broken":
      return { code: "program_failed", message: `The program could not be run: ${end.message}. Try again.` };
  }
}

function placed(message: string, line: number | undefined): { message: string; line?: number } {
  return line === undefined ? { message } : { message: `Line ${line}: ${message}`, line };
}

/** Programs are written by models that know Node.js and browsers. */
function hint(message: string): string {
  return /^ReferenceError: (?:process|require|fetch|module|Buffer|window|document|setTimeout|setInterval|global|Deno|Bun|XMLHttpRequest|WebSocket) is not defined/.test(
    message,
  )
    ? ". There is no network, file system, timer or Node.js here: use input, session, state and tools"
    : "";
}

function overLimit(limit: LimitName, limits: SandboxLimits): string {
  const stays = "What it had done by then stays done.";
  switch (limit) {
    case "cpu":
      return `The program ran for more than ${limits.cpuMilliseconds} ms and was ended. ${stays} Do less at once.`;
    case "wall":
      return `The program took more than ${limits.wallMilliseconds} ms and was ended. ${stays} Do less at once.`;
    case "memory":
      return `The program needed more than ${limits.memoryBytes} bytes of memory and was ended. ${stays} Work on smaller pieces.`;
    case "stack":
      return `The program called itself too deeply and was ended. ${stays} Use a loop.`;
    case "output":
      return `The program returned or logged more than ${limits.outputCharacters} characters and was ended. ${stays} Return a summary, and keep the rest in notes.`;
    case "operations":
      return `The program made more than ${limits.operations} calls and was ended. ${stays} Put several things into one call.`;
  }
}
