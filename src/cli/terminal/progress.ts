import { bar } from "./quantities.ts";

export interface Progress {
  /** Reports how much of the total is done. */
  at(done: number): void;
  end(): void;
}

/** Milliseconds before the bar appears, and between two updates. */
const delay = 1_000;
const interval = 100;

/** Shows a progress bar on stderr for work that takes more than a second, on a terminal only. */
export function startProgress(
  label: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
  clock: () => number = Date.now,
): Progress {
  const started = clock();
  let shown = 0;
  return {
    at(done) {
      const now = clock();
      if (!stream.isTTY || now - started < delay || now - shown < interval) return;
      shown = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const width = Math.max(5, Math.min(30, (stream.columns || 80) - label.length - 8));
      stream.write(`\r\x1b[2K${label} ${bar(share, width)} ${Math.round(share * 100)} %`);
    },
    end() {
      if (shown > 0) stream.write("\r\x1b[2K");
    },
  };
}
