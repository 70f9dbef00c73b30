import { merge } from "../engine/merge.ts";
import { HoldfastError } from "../errors.ts";
import type { EditConflict } from "./api.ts";

export interface MergeSides {
  base: string;
  mine: string;
  theirs: string;
  /** The revision of `theirs`. */
  revision: number;
}

/** Merges both edits. If they touch the same lines, throws a conflict with both sides, so that the person decides. */
export function mergeEdit(sides: MergeSides): string {
  const { base, mine, theirs } = sides;
  const merged = merge(base, mine, theirs);
  if (merged.ok) return merged.text;
  const conflict: EditConflict["conflict"] = {
    ...sides,
    by: null,
    at: null,
    regions: merged.parts.map((part) =>
      part.kind === "text"
        ? { kind: "agreed", text: part.lines.join("\n"), base: "", mine: "", theirs: "" }
        : {
            kind: "conflict",
            text: "",
            base: part.base.join("\n"),
            mine: part.mine.join("\n"),
            theirs: part.theirs.join("\n"),
          },
    ),
  };
  throw new HoldfastError(
    "conflict",
    "Someone else changed the same lines since you started. Nothing was saved. Resolve each conflict and save again.",
    { data: { conflict } },
  );
}
