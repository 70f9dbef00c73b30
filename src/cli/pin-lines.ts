import type { ListedPin } from "../surfaces/pins/operations.ts";
import { visibleLine } from "./terminal/visible-text.ts";

/** One line for each pin. */
export function pinLines(pins: readonly ListedPin[]): string[] {
  if (pins.length === 0) return [`Nothing is pinned. Pin a rule with: holdfast pin "never push to main"`];
  return pins.map(({ id, text }) => `${id.padEnd(4)}${visibleLine(text)}`);
}
