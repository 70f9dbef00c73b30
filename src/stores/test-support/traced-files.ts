import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A call that changes a file below the directory, syncs a change, or prints to stdout. */
export type TracedCall =
  | { call: "create" | "remove" | "sync"; path: string }
  | { call: "write"; path: string; at: number; data: Buffer }
  | { call: "truncate"; path: string; size: number }
  | { call: "say"; text: string };

/** Why calls cannot be traced here; false if they can. */
export function noTracing(): string | false {
  const { status, stderr, error } = spawnSync("strace", ["-f", "true"], { encoding: "utf8" });
  return status === 0 ? false : `no strace here: ${error?.message ?? stderr.trim()}`;
}

const traced = "openat,pwrite64,write,fdatasync,fsync,ftruncate,unlink";

/** A command prefix that logs a program's file calls. */
export function tracing(log: string): string[] {
  return ["strace", "-f", "-y", "-xx", "-s", "10000000", "-o", log, "-e", `trace=${traced}`];
}

export type Injection = "signal=SIGKILL" | "error=EIO" | "error=ENOSPC";

/** A command prefix that kills a program at its nth call on one of the paths, or lets that call fail. */
export function injecting(call: string, nth: number, what: Injection, paths: readonly string[]): string[] {
  // --seccomp-bpf is faster, but loses injected signals.
  const faster = what.startsWith("error") ? ["--seccomp-bpf"] : [];
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${what}:when=${nth}`];
  return ["strace", "-f", ...faster, "-o", "/dev/null", ...inject, ...paths.flatMap((path) => ["-P", path])];
}

export async function readTrace(log: string, directory: string): Promise<TracedCall[]> {
  const calls: TracedCall[] = [];
  for await (const line of createInterface({ input: createReadStream(log) })) {
    const [, name = "", args = "", result = ""] = /^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)/.exec(line) ?? [];
    if (name === "" || Number(result) < 0) continue;
    const call = readCall(name, args);
    if (
      call &&
      (call.call === "say" || call.path === directory || call.path.startsWith(join(directory, "/")))
    )
      calls.push(call);
  }
  return calls;
}

function readCall(name: string, args: string): TracedCall | undefined {
  const file = /^(\d+)<([^>]*)>/.exec(args);
  const path = file ? decode(file[2] ?? "").toString() : "";
  const numbers = args.split(", ").slice(1);
  switch (name) {
    case "openat": {
      const opened = decode(/"([^"]*)"/.exec(args)?.[1] ?? "").toString();
      return args.includes("O_CREAT") ? { call: "create", path: opened } : undefined;
    }
    case "unlink":
      return { call: "remove", path: decode(/"([^"]*)"/.exec(args)?.[1] ?? "").toString() };
    case "fsync":
    case "fdatasync":
      return { call: "sync", path };
    case "ftruncate":
      return { call: "truncate", path, size: Number(numbers[0]) };
    case "pwrite64":
      return {
        call: "write",
        path,
        data: decode(/"([^"]*)"/.exec(args)?.[1] ?? ""),
        at: Number(numbers.at(-1)),
      };
    case "write":
      return file?.[1] === "1"
        ? { call: "say", text: decode(/"([^"]*)"/.exec(args)?.[1] ?? "").toString() }
        : undefined;
    default:
      return undefined;
  }
}

function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}
