import { fork } from "node:child_process";
import { join } from "node:path";
import type { Answer, Command, Conversation } from "./kill-child.ts";
import type { RunningSystem } from "./system.ts";

const maxError = 4_000;

/** A process that holds conversations of one system and can be killed. */
export interface KillHost {
  readonly hasEnded: boolean;
  /** The output of the process at its end. */
  error(): string;
  /** Opens a conversation, or goes on with one that an earlier process had. `onHalt`: a tool waits for the kill. */
  open(conversation: Conversation, onHalt: () => void): Promise<RunningSystem>;
  kill(): Promise<void>;
}

/** Thrown by every call that the process has not answered when it ends. */
class ProcessEnded extends Error {}

export async function startHost(id: string): Promise<KillHost> {
  const child = fork(join(import.meta.dirname, "kill-child.ts"), [id], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let written = "";
  child.stderr?.on("data", (data: Buffer) => {
    written = `${written}${data.toString("utf8")}`.slice(0, maxError);
  });
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const halts = new Map<string, () => void>();
  let calls = 0;
  let hasEnded = false;
  const ended = new Promise<void>((done) => child.once("close", done)).then(() => {
    hasEnded = true;
    for (const { reject } of waiting.values()) reject(new ProcessEnded(errorIn(written)));
  });
  const ask = async (command: Command): Promise<Answer> => {
    if (hasEnded) throw new ProcessEnded(errorIn(written));
    const call = ++calls;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(call, answer);
    // Sending to a process that was just killed fails; its end answers the call.
    child.send({ ...command, call }, () => {});
    const { failed, ...done } = await answer.promise.finally(() => waiting.delete(call));
    if (failed !== undefined) throw new Error(failed);
    return done;
  };
  child.on("message", (message: Answer) => {
    if (message.halted === undefined) waiting.get(message.call ?? 0)?.resolve(message);
    else halts.get(message.halted)?.();
  });
  await new Promise<void>((ready, fail) => {
    child.once("message", () => ready());
    ended.then(() => fail(new Error(`It could not be started. ${errorIn(written)}`)), fail);
  });
  return {
    get hasEnded() {
      return hasEnded;
    },
    error: () => errorIn(written),
    async open(conversation, onHalt) {
      const { directory } = conversation;
      halts.set(directory, onHalt);
      await ask({ open: conversation });
      return {
        send: async (text) => void (await ask({ directory, send: text })),
        close: async () => {},
      };
    },
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** The error in the output of a process, in one line. */
export function errorIn(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = lines.find((each) => /^\w*Error: /.test(each)) ?? lines.at(-1);
  return line?.slice(0, 160) || "it failed";
}
