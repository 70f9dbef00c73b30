import { unfenceContent } from "../../context/fence.ts";
import { originLine } from "../../context/origin-line.ts";
import type { State } from "../../engine/state.ts";
import type { SurfaceView } from "../surface.ts";
import { readScratchpad, type Scratchpad, spacesText } from "./operations.ts";

const scratchpadStart = "[Session Scratchpad]";
const scratchpadEnd = "[End Scratchpad]";

/** The scratchpad's block: the non-empty spaces, or "" if all are empty. */
export function renderScratchpad(scratchpad: Scratchpad): string {
  const text = spacesText(scratchpad);
  return text === "" ? "" : `${scratchpadStart}\n${text}\n${scratchpadEnd}`;
}

/** Above the block: which lines the agent did not write itself; "" if it wrote all of them. */
export function scratchpadOrigin(state: State): string {
  const parts = [
    state.row.origin === "imported" ? "[Origin of the scratchpad: this session was imported]" : "",
    originLine(state, "space/notes", "scratchpad's notes"),
    originLine(state, "space/plan", "plan"),
    originLine(state, "refs", "references"),
  ];
  return parts.filter((line) => line !== "").join("\n");
}

export function parseScratchpad(text: string): Scratchpad | undefined {
  const start = text.indexOf(`${scratchpadStart}\n`);
  const end = text.indexOf(`\n${scratchpadEnd}`, start);
  if (start === -1 || end === -1) return undefined;
  const body = text.slice(start + scratchpadStart.length + 1, end);
  const [beforeRefs, refs] = cutAtHeading(body, "References:");
  const [notes, plan] = cutAtHeading(beforeRefs, "Plan:");
  return {
    notes: unfenceContent(notes),
    plan: unfenceContent(plan ?? ""),
    refs: refs === undefined ? [] : refs.slice(2).split("\n• ").map(parseRef),
  };
}

function parseRef(text: string): string {
  return unfenceContent(text.replaceAll("\n  ", "\n"));
}

function cutAtHeading(text: string, heading: string): [before: string, after: string | undefined] {
  if (text.startsWith(`${heading}\n`)) return ["", text.slice(heading.length + 1)];
  const at = text.indexOf(`\n\n${heading}\n`);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + heading.length + 3)];
}

/** Three small spaces that are prepended to every message. */
export const scratchpadView: SurfaceView = {
  name: "scratchpad",
  block: (state) => {
    const text = renderScratchpad(readScratchpad(state));
    if (text === "") return undefined;
    const origin = scratchpadOrigin(state);
    const whole = "Write less with session_scratchpad to see all of it.";
    return {
      placement: "message",
      text: origin === "" ? text : `${origin}\n\n${text}`,
      whole,
    };
  },
  isEmpty: (state) => renderScratchpad(readScratchpad(state)) === "",
};
