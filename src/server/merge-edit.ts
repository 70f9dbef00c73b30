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

/** The text with both edits in it. Where they touch the same lines nothing is decided: both sides go back to the person. */
export function mergeEdit(sides: MergeSides): string {
  const { base, mine, theirs } = sides;
  const merged = merge(base, mine, theirs);
  if (merged.ok) return merged.text;
  const conflict: EditConflict["conflict"] = {
    ...sides,
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
    "Somebody else has changed the same lines since you began. Nothing was saved. Choose for each conflicting stretch, and save again.",
    { data: { conflict } },
  );
}
