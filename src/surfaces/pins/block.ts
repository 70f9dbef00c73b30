import { fenceContent, unfenceContent } from "../../context/fence.ts";
import type { SurfaceView } from "../surface.ts";
import { type ListedPin, listPins } from "./operations.ts";

const start = "[Pins: what the user demands and forbids, in the user's words. They hold in every turn.]";
const end = "[End of pins]";

/** The block of all pins, verbatim; "" without any. Never shortened. */
export function renderPins(pins: readonly ListedPin[]): string {
  return pins.length === 0 ? "" : [start, ...pins.map(renderPin), end].join("\n");
}

/** One pin as the model reads it; further lines are indented, so that each id begins a pin. */
function renderPin({ id, text }: ListedPin): string {
  return `${id}: ${fenceContent(text).replaceAll("\n", "\n  ")}`;
}

/** The pins of a rendered block. */
export function parsePins(block: string): { id: string; text: string }[] {
  const lines = block.split("\n").filter((line) => ![start, end].includes(line));
  const pins: { id: string; lines: string[] }[] = [];
  for (const line of lines) {
    const [, id, text = ""] = /^([pu]\d+): (.*)$/.exec(line) ?? [];
    if (id !== undefined) pins.push({ id, lines: [text] });
    else pins.at(-1)?.lines.push(line.slice(2));
  }
  return pins.map((pin) => ({ id: pin.id, text: unfenceContent(pin.lines.join("\n")) }));
}

/** The pins, before everything else in memory. */
export const pinsView: SurfaceView = {
  name: "pins",
  // Before the agent's own system prompt, too.
  order: -1,
  block: (state) => {
    const text = renderPins(listPins(state));
    return text === "" ? undefined : { placement: "system", text };
  },
};
