import { Worker } from "node:worker_threads";
import { type End, HostedRun } from "./hosted-run.ts";
import type { RunLimits, SandboxLimits } from "./limits.ts";
import type { Engine } from "./load-engine.ts";
import type { FromWorker, ToWorker, WorkerSetting } from "./protocol.ts";
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
