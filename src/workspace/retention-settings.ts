import { toggle } from "../engine/options.ts";
import { defaultRetention, type RetentionRules, retentionKinds } from "../engine/retention.ts";
import type { EntryPoint, Setting } from "./settings.ts";

const descriptions: Record<keyof RetentionRules, string> = {
  historyDays: "Days of history per session. Undo and log go back this far. 0: for ever.",
  historyOperations: "Operations of history per session, beyond the last day. 0: all.",
  ledgerDays: "Days that the prompts of model calls are kept. 0: for ever.",
  ledgerCalls: "Model calls kept per session; those that prove a compaction stay. 0: all.",
  deletedDays: "Days after which a deleted session is removed for good. 0: never.",
  archivedDays: "Days after which an archived session is removed for good. 0: never.",
  maxMegabytes:
    "Megabytes that a local store may take. Warns at 80 %; removes only after a week above it. 0: no limit.",
};

const elsewhere = "a command ends before it would remove anything";

/** What a store keeps, under `retention`. */
export function retentionSettings(actsIn: readonly EntryPoint[]): {
  "retention.keepEverything": Setting<boolean>;
} & Record<`retention.${keyof RetentionRules}`, Setting<number>> {
  const rules: Partial<Record<string, Setting<number>>> = {};
  for (const name of Object.keys(descriptions) as (keyof RetentionRules)[]) {
    rules[`retention.${name}`] = {
      kind: retentionKinds[name],
      default: defaultRetention[name],
      description: descriptions[name],
      actsIn,
      elsewhere,
    };
  }
  return {
    "retention.keepEverything": {
      kind: toggle,
      default: false,
      description:
        "Whether nothing is ever removed on its own, whatever the other settings of retention say.",
      env: ["KEEP_EVERYTHING"],
      flags: ["keep-everything"],
      actsIn,
      elsewhere,
    },
    ...(rules as Record<`retention.${keyof RetentionRules}`, Setting<number>>),
  };
}
