import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

/** A call that changes a file or syncs a change. */
export type FileEvent =
  | { call: "write"; name: string; at: number; data: Buffer }
  | { call: "truncate"; name: string; size: number }
  | { call: "sync"; name: string }
  | { call: "remove"; name: string }
  | { call: "acknowledged"; operations: number };

type Watched = "openSync" | "writeSync" | "ftruncateSync" | "fsyncSync" | "rmSync";

const originals = {
  openSync: fs.openSync,
  writeSync: fs.writeSync,
  ftruncateSync: fs.ftruncateSync,
  fsyncSync: fs.fsyncSync,
  rmSync: fs.rmSync,
};

function replace(calls: Partial<Record<Watched, unknown>>): void {
  Object.assign(fs, originals, calls);
  syncBuiltinESMExports();
}

/** Records Node's file calls while the work runs. Names are file names without directories. */
export async function recordFiles(work: (events: FileEvent[]) => Promise<void>): Promise<FileEvent[]> {
  const events: FileEvent[] = [];
  const names = new Map<number, string>();
  replace({
    openSync(path: fs.PathLike, flags?: fs.OpenMode, mode?: fs.Mode) {
      const file = originals.openSync(path, flags ?? "r", mode);
      names.set(file, basename(String(path)));
      return file;
    },
    writeSync(file: number, data: Buffer, offset = 0) {
      const at = fs.fstatSync(file).size;
      const written = originals.writeSync(file, data, offset);
      events.push({
        call: "write",
        name: names.get(file) ?? "",
        at,
        data: Buffer.from(data.subarray(offset, offset + written)),
      });
      return written;
    },
    ftruncateSync(file: number, size: number) {
      originals.ftruncateSync(file, size);
      events.push({ call: "truncate", name: names.get(file) ?? "", size });
    },
    fsyncSync(file: number) {
      originals.fsyncSync(file);
      events.push({ call: "sync", name: names.get(file) ?? "" });
    },
    rmSync(path: fs.PathLike, options?: fs.RmOptions) {
      originals.rmSync(path, options);
      events.push({ call: "remove", name: basename(String(path)) });
    },
  });
  try {
    await work(events);
  } finally {
    replace({});
  }
  return events;
}

export interface Fault {
  call: Watched;
  /** Only the nth call from now fails. */
  nth: number;
  code: "EIO" | "ENOSPC" | "EROFS" | "EACCES" | "EDQUOT";
  /** A failing write still writes half of its bytes. */
  half?: boolean;
}

/** Runs the work with one failing call; returns whether that call was reached. */
export async function withFault(
  { call, nth, code, half }: Fault,
  work: () => Promise<void>,
): Promise<boolean> {
  let count = 0;
  let failed = false;
  const original = originals[call] as (...args: unknown[]) => unknown;
  replace({
    [call]: (...args: unknown[]) => {
      if (++count !== nth) return original(...args);
      failed = true;
      const [file, data, offset = 0] = args as [number, Buffer, number?];
      if (half && call === "writeSync")
        originals.writeSync(file, data, offset, Math.floor((data.length - offset) / 2));
      throw Object.assign(new Error(`${code}: injected`), { code });
    },
  });
  try {
    await work();
  } finally {
    replace({});
  }
  return failed;
}
