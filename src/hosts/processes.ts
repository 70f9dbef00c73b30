import { readFileSync, readlinkSync } from "node:fs";

/** A process. The start time distinguishes it from a later process with the same pid. */
export interface Process {
  pid: number;
  start: string;
}

type NamedProcess = Process & { parent: number; name: string };

/** The ancestors of this process, nearest first; empty if they cannot be read, as on Windows. */
export function listAncestors(of = process.ppid): (Process & { name: string })[] {
  const read = processReader();
  const ancestors: (Process & { name: string })[] = [];
  // Stop at pid 1, the ancestor of every host on the machine or in the container.
  for (let pid = of; pid > 1 && ancestors.length < 32; ) {
    const found = read(pid);
    if (!found) break;
    ancestors.push({ pid, start: found.start, name: found.name });
    pid = found.parent;
  }
  return ancestors;
}

/** This process, for a plugin, which runs in the process of its host. */
export function ownProcess(): Process | undefined {
  const [own] = listAncestors(process.pid);
  return own && { pid: own.pid, start: own.start };
}

export function isAlive({ pid, start }: Process): boolean {
  return processReader()(pid)?.start === start;
}

/** Shells and launchers between a host and the commands it starts. */
const wrapper =
  /^-?(?:(?:ba|da|z|k|a|fi|c|tc)?sh|env|timeout|nice|nohup|sudo|node-shim|npm|npx|pnpm|yarn|bunx|corepack|volta|mise|asdf|fnm|nodenv|direnv|dotenv)\b/;

/** The host that started this process: the nearest ancestor that is neither a shell nor a launcher. */
export function findHostProcess(ancestors = listAncestors()): Process | undefined {
  const host = ancestors.find(({ name }) => !wrapper.test(name));
  return host && { pid: host.pid, start: host.start };
}

/** The working directory of a process; undefined if it cannot be read, as on Windows. */
export function workingDirectoryOf({ pid }: Pick<Process, "pid">): string | undefined {
  try {
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`);
    if (process.platform === "win32") return undefined;
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const args = ["-a", "-p", String(pid), "-d", "cwd", "-Fn"];
    const text = execFileSync("lsof", args, { encoding: "utf8", timeout: 1_000, stdio: "pipe" });
    return /^n(.+)$/m.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

function processReader(): (pid: number) => NamedProcess | undefined {
  if (process.platform === "linux") return readProc;
  if (process.platform === "win32") return () => undefined;
  const table = readTable();
  return (pid) => table.get(pid);
}

/** Parses /proc/PID/stat; the name is in parentheses and may contain anything. */
function readProc(pid: number): NamedProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const [parent, start] = [fields[1], fields[19]];
    if (parent === undefined || start === undefined) return undefined;
    return { pid, parent: Number(parent), start, name: stat.slice(stat.indexOf("(") + 1, end) };
  } catch {
    return undefined;
  }
}

function readTable(): Map<number, NamedProcess> {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,lstart=,comm="], {
      encoding: "utf8",
      timeout: 1_000,
      maxBuffer: 16_000_000,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    });
    return parseTable(text);
  } catch {
    return new Map();
  }
}

/** Lines such as `  501   1 Mon Oct  5 09:12:44 2026     /usr/local/bin/claude`. */
export function parseTable(text: string): Map<number, NamedProcess> {
  const table = new Map<number, NamedProcess>();
  for (const line of text.split("\n")) {
    const [, pid, parent, start, command] =
      /^\s{0,20}(\d{1,10})\s{1,20}(\d{1,10})\s{1,20}(\w{1,9}\s{1,4}\w{1,9}\s{1,4}\d{1,2}\s{1,4}[\d:]{1,8}\s{1,4}\d{4})\s{1,40}(\S.*)$/s.exec(
        line.trimEnd(),
      ) ?? [];
    if (pid === undefined || start === undefined || command === undefined) continue;
    const name = command.slice(command.lastIndexOf("/") + 1);
    table.set(Number(pid), { pid: Number(pid), parent: Number(parent), start, name });
  }
  return table;
}
