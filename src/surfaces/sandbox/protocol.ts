import type { LimitName, RunLimits, SandboxLimits } from "./limits.ts";

/** The compiled QuickJS module. TypeScript declares WebAssembly only together with the DOM. */
export interface Engine {
  readonly [compiled]: true;
}

export interface EngineMemory {
  readonly buffer: ArrayBuffer;
}

declare const compiled: unique symbol;

/** The data a worker starts with. */
export interface WorkerSetting {
  engine: Engine;
  limits: SandboxLimits;
  /** Two numbers: when the program last resumed (0: not running), and how long it ran before that. */
  clock: SharedArrayBuffer;
}

/** From the host to its worker. Values cross as JSON texts. */
export type ToWorker =
  | {
      type: "run";
      run: number;
      code: string;
      input: string;
      /** The names that the program may call, for example `session.notepad.append`. */
      paths: readonly string[];
      limits: RunLimits;
      /** Only check that it compiles. */
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

/** How a program ended, as reported by its worker. */
export type ProgramEnd =
  | { kind: "done"; value: string }
  | { kind: "syntax"; message: string; line: number | undefined }
  | { kind: "failed"; message: string; line: number | undefined }
  | { kind: "limit"; limit: LimitName };

/** Milliseconds on a clock that all threads of a process share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
