/** The process that ends this hook if its only thread hangs: `bin/holdfast-watch`. */
export interface HookWatch {
  /** Milliseconds. */
  deadline: number;
  /** It need not answer in place of the hook any more. */
  reportAnswer(): void;
  /** The hook follows another deadline and runs what may hang in a thread. */
  dismiss(): void;
}

/** The watch that started this process; undefined if something else did. */
export function findWatch(
  env: Readonly<Record<string, string | undefined>> = process.env,
): HookWatch | undefined {
  const [, pid, deadline] = /^(\d{1,10}):(\d{1,5})$/.exec(env.HOLDFAST_WATCH ?? "") ?? [];
  // The variable may be left over from another process.
  if (pid === undefined || Number(pid) !== process.ppid) return undefined;
  const send = (signal: "SIGUSR1" | "SIGUSR2") => {
    try {
      process.kill(process.ppid, signal);
    } catch {
      // It has gone, and with it the need to report.
    }
  };
  return {
    deadline: Number(deadline),
    reportAnswer: () => send("SIGUSR1"),
    dismiss: () => send("SIGUSR2"),
  };
}
