import type { Actor } from "../engine/journal.ts";
import { foreignLines, linesIn, type OriginTarget } from "../engine/origins.ts";
import type { State } from "../engine/state.ts";

/** More stretches than these are only counted. */
const maxStretches = 6;

export const authors: Record<Actor["kind"], string> = {
  agent: "the agent",
  person: "a person",
  "sub-session": "a sub-session",
  import: "an import",
  system: "Holdfast",
};

/** One line that names the lines of a text that the agent did not write; "" if it wrote all of them. */
export function originLine(state: State, target: OriginTarget, name: string): string {
  const stretches = foreignLines(state, target);
  const unit = target === "refs" ? "number" : "line";
  const shown = stretches.slice(0, maxStretches).map(({ from, to, by }) => {
    const lines = from === to ? `${unit} ${from}` : `${unit}s ${from}–${to}`;
    return `${lines} by ${authors[by]}`;
  });
  const more = stretches.length > maxStretches ? [`${stretches.length - maxStretches} more stretches`] : [];
  const foreign = stretches.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const rest = foreign < linesIn(state, target).length ? ["the rest by the agent"] : [];
  const facts = [
    ...(shown.length === 0 ? [] : [[...shown, ...more, ...rest].join(", ")]),
    ...(state.row.origin === "imported" && target === "notepad" ? ["this session was imported"] : []),
  ];
  return facts.length === 0 ? "" : `[Origin of the ${name}: ${facts.join("; ")}]`;
}
