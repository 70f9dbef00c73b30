import { bar } from "./paint.ts";

export interface Progress {
  /** So much of the whole is done. */
  at(done: number): void;
  end(): void;
}

/** Work shorter than this shows nothing. */
const patience = 1_000;
const pause = 100;

/** A bar on stderr for work that takes more than a second, on a terminal only. */
export function startProgress(
  label: string,
  total: number,
  stream: NodeJS.WriteStream = process.stderr,
  clock: () => number = Date.now,
): Progress {
  const begun = clock();
  let shown = 0;
  return {
    at(done) {
      const now = clock();
      if (!stream.isTTY || now - begun < patience || now - shown < pause) return;
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
