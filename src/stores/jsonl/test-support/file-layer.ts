import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

/** One call that changes a file or makes a change safe. */
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

/** Runs the work with Node's file calls recorded; names are those of the files, without their directory. */
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
  /** The so-manieth call from now fails, and only that. */
  nth: number;
  code: "EIO" | "ENOSPC" | "EROFS" | "EACCES" | "EDQUOT";
  /** A write that fails has got half of its bytes out. */
  half?: boolean;
}

/** Runs the work with one call failing; says whether it came to that. */
export async function withFault(
  { call, nth, code, half }: Fault,
  work: () => Promise<void>,
): Promise<boolean> {
  let count = 0;
  let failed = false;
  const original = originals[call] as (...given: unknown[]) => unknown;
  replace({
    [call]: (...given: unknown[]) => {
      if (++count !== nth) return original(...given);
      failed = true;
      const [file, data, offset = 0] = given as [number, Buffer, number?];
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
