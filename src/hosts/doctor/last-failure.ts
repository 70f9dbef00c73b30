import { join } from "node:path";
import { isObject } from "../../engine/json.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";
import { type Failure, readFailures } from "../failures.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const check = "last failure";
const day = 86_400_000;

interface Span {
  from: number;
  to: number;
}

/** The newest failure of this host's hooks: a problem if it is from the last day, otherwise a note. */
export function checkLastFailure(host: string, directory: string, now = Date.now()): Finding {
  const own = readOwnRuns(directory);
  const failures = readFailures(directory).filter(
    ({ host: whose, at }) => whose === host && !own.some(({ from, to }) => at >= from && at <= to),
  );
  const failure = failures.find((each) => !isMissingDatabase(each)) ?? failures[0];
  if (!failure) return ok(check, "none");
  const when = new Date(failure.at).toISOString();
  const detail = `${when} ${failure.event || "hook"}: ${failure.message}`;
  if (now - failure.at > day || isMissingDatabase(failure)) return note(check, detail);
  const remedy = `If the message does not say what to do, try again. Delete ${join(directory, "hook-failures.jsonl")} once it is fixed; after a day it is only a note.`;
  return problem(check, detail, remedy);
}

/** Only a note: the database may have been lost, but a new project has none before the first note. */
function isMissingDatabase({ code, message }: Failure): boolean {
  return code === "not_found" && message.startsWith("There is no database");
}

/** Records when doctor itself ran a hook, so that a failure at that time does not count as an agent's. */
export function keepOwnRun(directory: string, span: Span): void {
  try {
    writeSmallFile(runsFile(directory), { runs: [...readOwnRuns(directory), span].slice(-50) });
  } catch {
    // The canary check already reports a directory that is not writable.
  }
}

function readOwnRuns(directory: string): Span[] {
  const runs = readSmallFile(runsFile(directory))?.runs;
  return Array.isArray(runs) ? runs.filter(isSpan) : [];
}

function isSpan(value: unknown): value is Span {
  return isObject(value) && typeof value.from === "number" && typeof value.to === "number";
}

function runsFile(directory: string): string {
  return join(directory, "doctor.json");
}
