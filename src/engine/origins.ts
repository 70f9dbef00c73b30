import type { Actor } from "./journal.ts";
import type { TextOrigins } from "./records.ts";
import {
  applyChanges,
  type Change,
  listResident,
  type RecordChange,
  readText,
  residentRecord,
  type State,
  type TextTarget,
} from "./state.ts";

/** A text, or the scratchpad's references, each of which counts as a line. */
export type OriginTarget = TextTarget | "refs";

/** A stretch of lines of a text that someone else than the agent wrote. Lines count from 1. */
export interface ForeignLines {
  from: number;
  to: number;
  by: Actor["kind"];
}

/**
 * The effect of an entry's changes on the authors of lines. Nothing is kept of a text that only the agent wrote, which
 * is almost every one.
 */
export function originChanges(state: State, changes: readonly Change[], { kind }: Actor): RecordChange[] {
  const targets = new Set(changes.flatMap(targetOf));
  if (targets.size === 0) return [];
  const after = applyChanges(state, changes);
  return [...targets].flatMap((target) => {
    const known = residentRecord(state, "origin", target) ?? null;
    if (isOwn(kind) && known === null) return [];
    const [was, is] = [linesIn(state, target), linesIn(after, target)];
    const authorsOf = target === "refs" ? authorsOfRefs : authorsAfter;
    const next = pack(authorsOf(unpack(known, was.length), was, is, kind));
    if (JSON.stringify(next) === JSON.stringify(known)) return [];
    return [{ type: "record" as const, kind: "origin" as const, key: target, before: known, after: next }];
  });
}

function targetOf(change: Change): OriginTarget[] {
  if (change.type === "text") return [change.target];
  return change.type === "record" && change.kind === "ref" ? ["refs"] : [];
}

/** The lines of a text that the agent did not write itself. */
export function foreignLines(state: State, target: OriginTarget): ForeignLines[] {
  let line = 1;
  return (residentRecord(state, "origin", target)?.lines ?? []).flatMap(([count, by]) => {
    const from = line;
    line += count;
    return isOwn(by) ? [] : [{ from, to: line - 1, by }];
  });
}

/** Holdfast writes for the agent. */
function isOwn(kind: Actor["kind"]): boolean {
  return kind === "agent" || kind === "system";
}

/** Lines at the beginning and the end that stayed the same keep their author. */
function authorsAfter(
  authors: readonly Actor["kind"][],
  was: readonly string[],
  is: readonly string[],
  kind: Actor["kind"],
): Actor["kind"][] {
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < most - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++;
  const written = Array.from({ length: is.length - head - tail }, () => kind);
  return [...authors.slice(0, head), ...written, ...authors.slice(was.length - tail)];
}

/** References have no fixed place: one that was there before keeps its author wherever it is now. */
function authorsOfRefs(
  authors: readonly Actor["kind"][],
  was: readonly string[],
  is: readonly string[],
  kind: Actor["kind"],
): Actor["kind"][] {
  const known = new Map(was.map((ref, index) => [ref, authors[index]]));
  return is.map((ref) => known.get(ref) ?? kind);
}

export function linesIn(state: State, target: OriginTarget): string[] {
  if (target === "refs") return listResident(state, "ref").map(([, ref]) => ref);
  const text = readText(state, target);
  return text === "" ? [] : text.split("\n");
}

/** A redaction may have changed the number of lines; those without an author count as the agent's. */
function unpack(origins: TextOrigins | null, length: number): Actor["kind"][] {
  const authors = (origins?.lines ?? []).flatMap(([count, by]) => Array.from({ length: count }, () => by));
  return Array.from({ length }, (_, index) => authors[index] ?? "agent");
}

function pack(authors: readonly Actor["kind"][]): TextOrigins | null {
  if (authors.every(isOwn)) return null;
  const lines: TextOrigins["lines"] = [];
  for (const by of authors) {
    const last = lines.at(-1);
    if (last?.[1] === by) last[0]++;
    else lines.push([1, by]);
  }
  return { lines };
}
