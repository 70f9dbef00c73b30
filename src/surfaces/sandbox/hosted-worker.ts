import { Worker } from "node:worker_threads";
import type { Json } from "../../engine/json.ts";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import type { LimitName, RunLimits, SandboxLimits } from "./limits.ts";
import type { Engine } from "./protocol.ts";
import {
  type FromWorker,
  type ProgramEnd,
  sharedNow,
  type ToWorker,
  type WorkerSetting,
} from "./protocol.ts";
import type { Program, SandboxResult } from "./sandbox.ts";

/** How often the host checks a running program's limits. */
const checkIntervalMilliseconds = 50;

/** How long a new worker may take to start. */
const startTimeoutMilliseconds = 30_000;

/** In the build the worker is next to the bundle; in the source it is in this folder. */
const file = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./sandbox-worker.js",
  import.meta.url,
);

/** The host's side of a worker thread: runs one program at a time; killing a program kills the worker. */
export class HostedWorker {
  readonly #worker: Worker;
  readonly #limits: SandboxLimits;
  readonly #times: Float64Array;
  readonly #ready: Promise<void>;
  #runs = 0;
  #current: HostedRun | undefined;
  alive = true;

  constructor(engine: Engine, limits: SandboxLimits) {
    const clock = new SharedArrayBuffer(16);
    this.#limits = limits;
    this.#times = new Float64Array(clock);
    const setting: WorkerSetting = { engine, limits, clock };
    this.#worker = new Worker(file, {
      workerData: setting,
      // The program's memory is in WebAssembly; these limits are for passing texts in and out.
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: {},
    });
    this.#ready = new Promise((resolve) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.type === "ready") resolve();
        else this.#current?.receive(message);
      });
      const gone = (end: End) => {
        this.alive = false;
        this.#current?.end(end);
        resolve();
      };
      this.#worker.on("error", (error) => gone(endOf(error)));
      this.#worker.on("exit", () => gone({ kind: "broken", message: "its worker ended" }));
    });
    // After adding the listeners: a message listener refs the worker again.
    this.#worker.unref();
  }

  async run(program: Program, limits: RunLimits, checkOnly: boolean): Promise<SandboxResult> {
    this.#worker.ref();
    const post = (message: ToWorker) => this.#worker.postMessage(message);
    const run = new HostedRun(++this.#runs, program, { ...this.#limits, ...limits }, post);
    this.#current = run;
    const late = setTimeout(
      () => run.end({ kind: "broken", message: "its worker did not start" }),
      startTimeoutMilliseconds,
    );
    await Promise.race([this.#ready, run.ended]);
    clearTimeout(late);
    this.#times.fill(0);
    if (this.alive) run.start(checkOnly);
    else run.end({ kind: "broken", message: "its worker could not be started" });
    const checking = setInterval(() => run.enforceTimeLimits(this.#times), checkIntervalMilliseconds);
    const end = await run.ended;
    clearInterval(checking);
    this.#current = undefined;
    if (run.workerIsReusable) this.#worker.unref();
    else void this.#kill();
    return run.conclude(end);
  }

  async close(): Promise<void> {
    this.#current?.end({ kind: "closed" });
    await this.#kill();
  }

  async #kill(): Promise<void> {
    this.alive = false;
    await this.#worker.terminate();
  }
}

function endOf(error: unknown): End {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ERR_WORKER_OUT_OF_MEMORY"
    ? { kind: "limit", limit: "memory" }
    : { kind: "broken", message };
}

/** Milliseconds a program may exceed its limit before the host kills it. */
const graceMilliseconds = 100;
/** Milliseconds to wait for the pending calls of a killed program. */
const drainMilliseconds = 300;

const maxConcurrentCalls = 16;

type CallMessage = Extract<FromWorker, { type: "call" }>;

/** How a run ended: as reported by its worker, or ended from outside. */
type End = ProgramEnd | { kind: "aborted" | "closed" } | { kind: "broken"; message: string };

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
