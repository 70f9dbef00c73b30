import { diffLines } from "./diff.ts";

/** A stretch of lines: agreed on, or written differently by the two sides. */
export type MergePart =
  | { kind: "text"; lines: string[] }
  | { kind: "conflict"; base: string[]; mine: string[]; theirs: string[] };

/** One text, or, where both sides changed the same lines, the parts with both of their versions. */
export type Merged = { ok: true; text: string } | { ok: false; parts: MergePart[] };

/** Who wrote the sides of a conflict, for its marks. */
export interface SideNames {
  mine: string;
  base: string;
  theirs: string;
}

/** Lines `from` to `to` of the base gave way to others. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/**
 * Brings together two edits of one text, line by line. Nothing is decided silently: what cannot be told apart
 * comes back as a conflict, with both sides and what stood there before.
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

/** The text with each conflict between marks that name its sides. */
export function markConflicts(parts: readonly MergePart[], names: SideNames): string {
  const marks = conflictMarks(names);
  return parts
    .flatMap((part) =>
      part.kind === "text"
        ? part.lines
        : [marks.mine, ...part.mine, marks.base, ...part.base, marks.between, ...part.theirs, marks.theirs],
    )
    .join("\n");
}

/** Whether a mark of these names still stands on a line of its own. */
export function hasConflictMarks(text: string, names: SideNames): boolean {
  const { between: _anybodysLine, ...own } = conflictMarks(names);
  const marks = new Set(Object.values(own));
  return text.split(/\r?\n/).some((line) => marks.has(line));
}

function conflictMarks(names: SideNames): Record<keyof SideNames | "between", string> {
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
      parts.push(settle(base, region, mine.slice(own, region.own), theirs.slice(other, region.other)));
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

/** Takes in every hunk that touches what is in the region already. */
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

function settle(
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
 * Two changes collide when they share a line of the base, or when their order would be a guess: both put lines
 * in at one place, or one does right beside where the other grew.
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
  return a.length === b.length && a.every((line, place) => line === b[place]);
}

/** A missing or present line break at the end is an empty last line, so it is merged like any other. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
