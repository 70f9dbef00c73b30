import { Worker } from "node:worker_threads";
import { type End, HostedRun } from "./hosted-run.ts";
import type { RunLimits, SandboxLimits } from "./limits.ts";
import type { Engine } from "./load-engine.ts";
import type { FromWorker, ToWorker, WorkerSetting } from "./protocol.ts";
import type { Program, SandboxResult } from "./sandbox.ts";

/** How often a running program is looked at from outside, in milliseconds. */
const lookEvery = 50;

/** How long a new worker may take until it is ready, in milliseconds. */
const startWithin = 30_000;

/** The built worker lies beside the bundle; in the source it is a file of this room. */
const file = new URL(
  import.meta.url.endsWith(".ts") ? "./worker.ts" : "./sandbox-worker.js",
  import.meta.url,
);

/** A worker thread as its host sees it: one program at a time, and dead once a program had to be killed. */
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
      // The program's memory is WebAssembly's; this is for what carries texts in and out.
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: {},
    });
    this.#ready = new Promise((resolve) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.type === "ready") resolve();
        else this.#current?.hear(message);
      });
      const gone = (end: End) => {
        this.alive = false;
        this.#current?.end(end);
        resolve();
      };
      this.#worker.on("error", (error) => gone(endOf(error)));
      this.#worker.on("exit", () => gone({ kind: "broken", message: "its worker ended" }));
    });
    // After the listeners: listening for messages keeps a process alive again.
    this.#worker.unref();
  }

  async run(program: Program, limits: RunLimits, checkOnly: boolean): Promise<SandboxResult> {
    this.#worker.ref();
    const post = (message: ToWorker) => this.#worker.postMessage(message);
    const run = new HostedRun(++this.#runs, program, { ...this.#limits, ...limits }, post);
    this.#current = run;
    const late = setTimeout(
      () => run.end({ kind: "broken", message: "its worker did not start" }),
      startWithin,
    );
    await Promise.race([this.#ready, run.ended]);
    clearTimeout(late);
    this.#times.fill(0);
    if (this.alive) run.start(checkOnly);
    else run.end({ kind: "broken", message: "its worker could not be started" });
    const looking = setInterval(() => run.look(this.#times), lookEvery);
    const end = await run.ended;
    clearInterval(looking);
    this.#current = undefined;
    if (run.obeyed) this.#worker.unref();
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
