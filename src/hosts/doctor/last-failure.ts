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

/** The newest failure of this host's hooks. One of the last day is a problem, an older one is only told. */
export function checkLastFailure(host: string, directory: string, now = Date.now()): Finding {
  const own = readOwnRuns(directory);
  const failures = readFailures(directory).filter(
    ({ host: whose, at }) => whose === host && !own.some(({ from, to }) => at >= from && at <= to),
  );
  const failure = failures.find((each) => !isNotYetThere(each)) ?? failures[0];
  if (!failure) return ok(check, "none");
  const when = new Date(failure.at).toISOString();
  const detail = `${when} ${failure.event || "hook"}: ${failure.message}`;
  if (now - failure.at > day || isNotYetThere(failure)) return note(check, detail);
  const remedy = `If the message does not say what to do, try again. Delete ${join(directory, "hook-failures.jsonl")} when it is settled; after a day it is only told.`;
  return problem(check, detail, remedy);
}

/** Before the first note there is no database: told, because it may have been lost, but a fresh project has none. */
function isNotYetThere({ code, message }: Failure): boolean {
  return code === "not_found" && message.startsWith("There is no database");
}

/** Remembers when doctor itself ran a hook, so that what failed then does not count as an agent's failure. */
export function keepOwnRun(directory: string, span: Span): void {
  try {
    writeSmallFile(runsFile(directory), { runs: [...readOwnRuns(directory), span].slice(-50) });
  } catch {
    // Where nothing can be written, the canary has said so.
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
