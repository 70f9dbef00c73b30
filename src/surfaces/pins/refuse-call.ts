import { oneLine } from "../../engine/text.ts";
import { matchesCall } from "./match-call.ts";
import type { ListedPin } from "./operations.ts";

/** A pin that refuses calls. */
export type RulePin = ListedPin & { rule: NonNullable<ListedPin["rule"]> };

export function rulesOf(pins: readonly ListedPin[]): RulePin[] {
  return pins.filter((pin): pin is RulePin => pin.status === "pinned" && pin.rule !== undefined);
}

/** Why a call must not run, in the user's own words; undefined if it may. Memory's own tools are never refused. */
export function refuseCall(
  pins: readonly ListedPin[],
  call: { tool: string; input: unknown; isMemoryTool: boolean },
): string | undefined {
  if (call.isMemoryTool) return undefined;
  const pin = rulesOf(pins).find(({ rule }) => matchesCall(rule, call.tool, call.input));
  return pin && refusalText(pin);
}

function refusalText({ id, text }: RulePin): string {
  return `Not run. The user said: "${oneLine(text)}" (pin ${id}). Do not try to reach the same result another way: continue without it, or ask the user. If the call is all right after all, the user lifts the rule with: holdfast unpin ${id}`;
}
