import { writeSync } from "node:fs";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { HookCall } from "../../hosts/hook/hook-call.ts";
import { findHost, hostNames } from "../../hosts/hosts.ts";
import { findProject } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";

/**
 * Handles one event of a host: the event on stdin, the answer on stdout. The exit code is always 0: memory must never block
 * an agent. The host's own timeout ends a process that hangs in a system call.
 */
export async function hook([name = "", ...args]: string[]): Promise<number> {
  const host = findHost(name);
  const call = new HookCall({
    name,
    host,
    project: findProject(process.cwd()),
    since: Date.now() - process.uptime() * 1_000,
    print: (text) => text !== "" && write(1, `${text}\n`),
    warn: (line) => write(2, `holdfast hook: ${line.slice(0, 500)}\n`),
    giveUp: () => process.exit(0),
  });
  await call.answer(async () => {
    if (!host) throw unknownHost(name);
    const { event: eventName, ...flags } = readFlags(args);
    const payload = parsePayload(await readInput());
    // A host that does not send its event's name has it in the command.
    if (eventName !== undefined) payload.hook_event_name ??= eventName;
    const root = process.env[host.projectVariable ?? ""];
    if (root) payload.cwd = root;
    return { payload, flags };
  });
  return 0;
}

/** Longer events are ignored. */
const maxInputBytes = 32_000_000;

/** The event as the host wrote it to stdin. */
async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= maxInputBytes) pieces.push(piece);
    // Keep reading: some hosts treat a closed pipe as a failure.
    else pieces.length = 0;
  }
  if (size <= maxInputBytes) return Buffer.concat(pieces).toString("utf8");
  throw new HoldfastError(
    "over_limit",
    `The event has ${size} bytes. The limit is ${maxInputBytes}. It was ignored. The next event is handled as usual.`,
  );
}

function parsePayload(text: string): Record<string, unknown> {
  let payload: unknown;
  try {
    payload = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `The input on stdin is not JSON (${(error as Error).message}). The coding agent calls a hook with the event as JSON.`,
    );
  }
  if (isObject(payload)) return payload;
  throw new HoldfastError("invalid_input", "The event on stdin is not a JSON object.");
}

/** Synchronous, because the process may exit right after. A host that has gone away is not an error. */
function write(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // No one is left to read it.
  }
}

function readFlags(args: string[]): StoreFlags & { event?: string } {
  if (args.length === 0) return {};
  // Loaded here, because most hooks have no flags.
  const { parseArgs } = process.getBuiltinModule("node:util");
  const options = { store: { type: "string" }, db: { type: "string" }, event: { type: "string" } } as const;
  const { db, ...flags } = parseArgs({ args, options }).values;
  // --db is the earlier name of --store.
  return { store: db, ...flags };
}

function unknownHost(host: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `There is no hook for ${JSON.stringify(host)}. Usage: holdfast hook HOST, where HOST is one of ${hostNames.join(", ")}.`,
  );
}
