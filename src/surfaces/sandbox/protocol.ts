import type { LimitName, RunLimits, SandboxLimits } from "./limits.ts";
import type { Engine } from "./load-engine.ts";

/** What a worker is started with. */
export interface WorkerSetting {
  engine: Engine;
  limits: SandboxLimits;
  /** Two numbers: since when the program has been running (0: it is not), and how long it ran before that. */
  clock: SharedArrayBuffer;
}

/** From the host to its worker. Values cross as JSON texts. */
export type ToWorker =
  | {
      type: "run";
      run: number;
      code: string;
      input: string;
      /** What the program may call, such as `session.notepad.append`. */
      paths: readonly string[];
      limits: RunLimits;
      /** Only see whether it compiles. */
      checkOnly: boolean;
    }
  | { type: "settle"; run: number; call: number; ok: boolean; text: string };

/** From a worker to its host. */
export type FromWorker =
  | { type: "ready" }
  | { type: "call"; run: number; call: number; path: string; args: string }
  | { type: "log"; run: number; text: string }
  /** `retire`: the worker itself is broken. */
  | { type: "end"; run: number; end: ProgramEnd; retire: boolean };

/** How a program ended, as its worker saw it. */
export type ProgramEnd =
  | { kind: "done"; value: string }
  | { kind: "syntax"; message: string; line: number | undefined }
  | { kind: "failed"; message: string; line: number | undefined }
  | { kind: "limit"; limit: LimitName };

/** Milliseconds on a clock that all threads of a process share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
