import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseObject, textIn } from "../engine/json.ts";
import { shortHash } from "../engine/short-hash.ts";
import { isHoldfastError } from "../errors.ts";
import { stateFolder } from "../state-folder.ts";
import { findProject } from "../workspace/project.ts";
import { appendToRegularFile, readRegularFile } from "../workspace/small-file.ts";

/** A failure in a hook, logged for `holdfast doctor`. It never blocks the agent. */
export interface Failure {
  /** Milliseconds since 1970. */
  at: number;
  host: string;
  /** The host's event, if known. */
  event: string;
  /** A code of HoldfastError, `deadline`, `secret` (one was taken out) or `internal`. */
  code: string;
  message: string;
}

/** The log is rotated at this size; one older file is kept. */
const maxBytes = 32_000;
const maxMessageLength = 500;

/** Logs a failure in the project's folder or, if that is not writable, in the user's. Never throws. */
export function keepFailure(directory: string, failure: Failure): void {
  const line = `${JSON.stringify({ ...failure, message: failure.message.slice(0, maxMessageLength) })}\n`;
  for (const path of failureFiles(directory)) {
    try {
      if (path.startsWith(directory) && !existsSync(directory)) continue;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, olderOf(path));
      appendToRegularFile(path, line);
      return;
    } catch {
      // Try the next location.
    }
  }
}

/** The failures in this project's hooks, newest first. */
export function readFailures(directory: string): Failure[] {
  return failureFiles(directory)
    .flatMap((path) => [...readLines(olderOf(path)), ...readLines(path)])
    .sort((a, b) => a.at - b.at)
    .reverse();
}

/** Removes a host's failures since a time: doctor made them itself, in a trial. Never throws. */
export function forgetFailures(directory: string, host: string, since: number): void {
  for (const path of failureFiles(directory).flatMap((file) => [file, olderOf(file)])) {
    const failures = readLines(path);
    const kept = failures.filter((failure) => failure.host !== host || failure.at < since);
    if (kept.length === failures.length) continue;
    try {
      const lines = kept.map((failure) => `${JSON.stringify(failure)}\n`);
      writeFileSync(path, lines.join(""), { mode: 0o600 });
    } catch {
      // Doctor already reports a folder that is not writable.
    }
  }
}

function failureFiles(directory: string): string[] {
  const project = shortHash(resolve(directory));
  return [join(directory, "hook-failures.jsonl"), join(stateFolder(), `hook-failures-${project}.jsonl`)];
}

function olderOf(path: string): string {
  return path.replace(/\.jsonl$/, ".old.jsonl");
}

function readLines(path: string): Failure[] {
  try {
    const text = readRegularFile(path, { maxBytes: 4 * maxBytes })?.toString("utf8") ?? "";
    return text.split("\n").flatMap((line) => parse(line) ?? []);
  } catch {
    return [];
  }
}

function parse(line: string): Failure | undefined {
  const { at, host, event, code, message } = parseObject(line) ?? {};
  if (typeof at !== "number") return undefined;
  return { at, host: textIn(host), event: textIn(event), code: textIn(code), message: textIn(message) };
}

/** Prints each failure once and logs all of them for `holdfast doctor`. Never throws. */
export function failureReporter(
  host: string,
  printDefault: (line: string) => void = (line) => console.error(line),
): (event: string, error: unknown, cwd: string, print?: (line: string) => void) => void {
  const printed = new Set<string>();
  return (event, error, cwd, print = printDefault) => {
    const message = error instanceof Error ? error.message : String(error);
    const code = isHoldfastError(error) ? error.code : "internal";
    try {
      keepFailure(findProject(cwd).directory, { at: Date.now(), host, event, code, message });
      if (printed.has(message)) return;
      printed.add(message);
      print(`holdfast: ${event}: ${message}`);
    } catch {
      // A failure to report must not stop the agent either.
    }
  };
}
