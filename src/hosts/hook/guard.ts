import { listPins } from "../../surfaces/pins/operations.ts";
import { type RulePin, refuseCall, rulesOf } from "../../surfaces/pins/refuse-call.ts";
import { settingValue } from "../../workspace/config.ts";
import { openHookMemory } from "../../workspace/hook-memory.ts";
import { locateStore } from "../../workspace/store-location.ts";
import { stampOf } from "../../workspace/store-stamp.ts";
import { cachedRules, isMemoryTool, keepRules } from "../rule-cache.ts";
import { memoryOf } from "../session-link.ts";
import type { HookRun } from "./context.ts";

/** Refuses a call that a pin forbids, before it runs. Every other call passes, also if memory fails. */
export async function guardCall(run: HookRun): Promise<void> {
  const { event, project } = run;
  const { tool, input } = event;
  const session = memoryOf(project.directory, event.host.name, event.hostSession);
  const rules = await readRules(run, session);
  const refuse = refuseCall(rules, { session, tool, input, isMemoryTool: isMemoryTool(tool) });
  run.answer(refuse === undefined ? {} : { refuse });
}

async function readRules(
  { event, project, config, flags, fail }: HookRun,
  session: string,
): Promise<RulePin[]> {
  const { directory } = project;
  const store = locateStore({ project, cwd: event.cwd, flags, config });
  const known = cachedRules(directory, session, store);
  if (known) return known;
  const stamp = stampOf(store);
  const patience = settingValue(config, "interactivePatience");
  const memory = await openHookMemory(project, store, false, { patience });
  try {
    const state = await (await memory?.findSession(session))?.state();
    const pins = state ? rulesOf(listPins(state)) : [];
    try {
      keepRules(directory, session, { store, stamp, pins });
    } catch (error) {
      // The next call opens the store again.
      fail(error);
    }
    return pins;
  } finally {
    await memory?.close();
  }
}
