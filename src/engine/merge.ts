import { diffLines } from "./diff.ts";

/** A run of lines: merged, or in conflict. */
export type MergePart =
  | { kind: "text"; lines: string[] }
  | { kind: "conflict"; base: string[]; mine: string[]; theirs: string[] };

/** The merged text, or the parts with both versions of each conflict. */
export type Merged = { ok: true; text: string } | { ok: false; parts: MergePart[] };

/** Labels of the sides in conflict markers. */
export interface SideNames {
  mine: string;
  base: string;
  theirs: string;
}

/** Replaces the base lines from `from` up to, not including, `to`. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/**
 * Three-way merge by lines. Never guesses: overlapping edits are returned as conflicts with both sides and the
 * base.
 *
 * @example
 * merge("port 80\nhost a", "port 81\nhost a", "port 80\nhost b"); // { ok: true, text: "port 81\nhost b" }
 */
export function merge(base: string, mine: string, theirs: string): Merged {
  if (mine === theirs || theirs === base) return { ok: true, text: mine };
  if (mine === base) return { ok: true, text: theirs };
  const parts = mergeParts(linesOf(base), hunksBetween(base, mine), hunksBetween(base, theirs));
  if (parts.some(({ kind }) => kind === "conflict")) return { ok: false, parts };
  return { ok: true, text: parts.flatMap((part) => (part.kind === "text" ? part.lines : [])).join("\n") };
}

/** The text with conflict markers that name the sides. */
export function markConflicts(parts: readonly MergePart[], names: SideNames): string {
  const markers = conflictMarkers(names);
  return parts
    .flatMap((part) =>
      part.kind === "text"
        ? part.lines
        : [
            markers.mine,
            ...part.mine,
            markers.base,
            ...part.base,
            markers.between,
            ...part.theirs,
            markers.theirs,
          ],
    )
    .join("\n");
}

/** Whether the text still has a marker line with one of these names. */
export function hasConflictMarkers(text: string, names: SideNames): boolean {
  // "=======" carries no name and may be the user's own line.
  const { between: _, ...named } = conflictMarkers(names);
  const markers = new Set(Object.values(named));
  return text.split(/\r?\n/).some((line) => markers.has(line));
}

function conflictMarkers(names: SideNames): Record<keyof SideNames | "between", string> {
  return {
    mine: `<<<<<<< ${names.mine}`,
    base: `||||||| ${names.base}`,
    between: "=======",
    theirs: `>>>>>>> ${names.theirs}`,
  };
}

function mergeParts(base: string[], mine: Hunk[], theirs: Hunk[]): MergePart[] {
  const parts: MergePart[] = [];
  let [at, own, other] = [0, 0, 0];
  const keepUntil = (line: number) => {
    if (line > at) parts.push({ kind: "text", lines: base.slice(at, line) });
    at = line;
  };
  for (;;) {
    const [left, right] = [mine[own], theirs[other]];
    if (left && right && collide(left, right)) {
      const region = growRegion(mine, own, theirs, other);
      keepUntil(region.from);
      parts.push(mergeRegion(base, region, mine.slice(own, region.own), theirs.slice(other, region.other)));
      [at, own, other] = [region.to, region.own, region.other];
      continue;
    }
    const next = left && (!right || comesFirst(left, right)) ? left : right;
    if (!next) break;
    keepUntil(next.from);
    parts.push({ kind: "text", lines: next.lines });
    at = next.to;
    if (next === left) own++;
    else other++;
  }
  keepUntil(base.length);
  return parts;
}

/** Extends the region to every hunk that touches it. */
function growRegion(mine: Hunk[], own: number, theirs: Hunk[], other: number) {
  const [left, right] = [mine[own] as Hunk, theirs[other] as Hunk];
  const region = {
    from: Math.min(left.from, right.from),
    to: Math.max(left.to, right.to),
    own: own + 1,
    other: other + 1,
  };
  for (;;) {
    const [nextOwn, nextOther] = [mine[region.own], theirs[region.other]];
    if (nextOwn && nextOwn.from <= region.to) {
      region.to = Math.max(region.to, nextOwn.to);
      region.own++;
    } else if (nextOther && nextOther.from <= region.to) {
      region.to = Math.max(region.to, nextOther.to);
      region.other++;
    } else return region;
  }
}

function mergeRegion(
  base: string[],
  { from, to }: { from: number; to: number },
  mine: readonly Hunk[],
  theirs: readonly Hunk[],
): MergePart {
  const [left, right] = [applyHunks(base, from, to, mine), applyHunks(base, from, to, theirs)];
  if (sameLines(left, right)) return { kind: "text", lines: left };
  return { kind: "conflict", base: base.slice(from, to), mine: left, theirs: right };
}

function applyHunks(base: string[], from: number, to: number, hunks: readonly Hunk[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...base.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...lines, ...base.slice(at, to)];
}

/**
 * Two hunks collide when they share a base line, or when their order would be a guess: both insert at the same
 * position, or one inserts right next to where the other adds lines.
 */
function collide(a: Hunk, b: Hunk): boolean {
  if (a.from < b.to && b.from < a.to) return true;
  const touching = a.to === b.from || b.to === a.from;
  if (!touching) return false;
  if (isInsertion(a)) return isInsertion(b) || grows(b);
  return isInsertion(b) && grows(a);
}

function isInsertion({ from, to }: Hunk): boolean {
  return from === to;
}

function grows({ from, to, lines }: Hunk): boolean {
  return lines.length > to - from;
}

function comesFirst(a: Hunk, b: Hunk): boolean {
  return a.from !== b.from ? a.from < b.from : a.to < b.to;
}

function hunksBetween(base: string, changed: string): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { kind, text } of diffLines(base, changed)) {
    if (kind === "same") {
      at++;
      open = undefined;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (kind === "added") open.lines.push(text);
    else open.to = ++at;
  }
  return hunks;
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** A trailing line break becomes an empty last line, which merges like any other. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
