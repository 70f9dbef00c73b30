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
  call: { session: string; tool: string; input: unknown; isMemoryTool: boolean },
): string | undefined {
  if (call.isMemoryTool) return undefined;
  const rules = rulesOf(pins);
  const pin = rules.find(({ rule }) => matchesCall(rule, call.tool, call.input));
  if (pin) return refusalText(pin, call.session);
  const lifted = rules.find(
    (each) => each.by === "person" && matchesCall(liftOf(each), call.tool, call.input),
  );
  return (
    lifted &&
    `Not run. Only the user lifts the rule "${oneLine(lifted.text)}" (pin ${lifted.id}). Ask the user.`
  );
}

/** An agent must not lift a person's rule from a shell. */
function liftOf({ id }: RulePin): RulePin["rule"] {
  return { tool: "*", pattern: `holdfast*unpin*${id}` };
}

function refusalText({ id, text }: RulePin, session: string): string {
  return `Not run. The user said: "${oneLine(text)}" (pin ${id}). Do not try to reach the same result another way: continue without it, or ask the user. If the call is all right after all, the user lifts the rule with: holdfast unpin ${id} --session ${session}`;
}
