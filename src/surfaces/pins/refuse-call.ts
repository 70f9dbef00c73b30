import { oneLine } from "../../engine/text.ts";
import { commandsOf } from "./commands-of.ts";
import { liftsRule } from "./lifts-rule.ts";
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
  const lifted = findLifted(rules, call);
  return lifted && liftText(lifted, call.session);
}

/** The rule of a person that a call would lift, replace or remove from a shell. Memory's own tools refuse that themselves. */
function findLifted(
  rules: readonly RulePin[],
  { session, tool, input }: { session: string; tool: string; input: unknown },
): RulePin | undefined {
  const guarded = rules.filter(({ by }) => by === "person");
  if (guarded.length === 0) return undefined;
  const commands = commandsOf(tool, input);
  return guarded.find((pin) => commands.some((command) => liftsRule(command, { pin, session })));
}

function refusalText({ id, text }: RulePin, session: string): string {
  return `Not run. The user said: "${oneLine(text)}" (pin ${id}). Do not try to reach the same result another way: continue without it, or ask the user. If the call is all right after all, the user lifts the rule with: holdfast unpin ${id} --session ${session}`;
}

function liftText({ id, text }: RulePin, session: string): string {
  return `Not run. The call may lift or change a rule of the user: "${oneLine(text)}" (pin ${id}). Only the user does that, in a terminal: holdfast unpin ${id} --session ${session}. Ask the user.`;
}
