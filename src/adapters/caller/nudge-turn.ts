import type { AgentEvent } from "../../agent/events.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import { afterTurn, type NudgeFacts, newNudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import { type StoredMessage, spokenText, toolCallsOf } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { State } from "../../engine/state.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import type { CallerSession } from "./caller-session.ts";

/** The hint for the current turn, or "": chosen at the start of the turn and kept until it ends. */
export function createNudge(setting: AgentSetting, emit: (event: AgentEvent) => void) {
  const policy = { ...noNudges, ...setting.options.nudges };
  let given: NudgeFacts["given"] = {};
  let turn = { message: 0, epoch: 0, hint: "" };
  return (agent: CallerSession, state: State): string => {
    const message = agent.list.findLast((stored) => stored.message.role === "user")?.number ?? 0;
    if (message === turn.message) return turn.hint;
    const epoch = readEpoch(state).number;
    const compacted = turn.epoch !== 0 && epoch !== turn.epoch;
    const facts = { ...factsOf(agent.list, message, writingTools(setting)), compacted, given };
    const planned = planNudge({ ...facts, isEmpty: isMemoryEmpty(state) }, policy);
    turn = { message, epoch, hint: planned?.text ?? "" };
    if (planned) {
      given = planned.given;
      emit({ type: "nudge", text: planned.text });
    }
    return turn.hint;
  };
}

function writingTools({ toolbox }: AgentSetting): ReadonlySet<string> {
  return new Set(toolbox.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)])));
}

/** The facts of the turns before the newest user message. */
function factsOf(
  messages: readonly StoredMessage[],
  newest: number,
  writes: ReadonlySet<string>,
): NudgeFacts {
  let facts = newNudgeFacts();
  let turn: { wrote: boolean; text: string } | undefined;
  for (const stored of messages) {
    const { message, number } = stored;
    if (message.role === "user") {
      if (turn) facts = afterTurn(facts, { ...turn, compacted: false });
      if (number === newest) break;
      turn = { wrote: false, text: "" };
    } else if (!turn) continue;
    else if (toolCallsOf(stored).some(({ tool }) => writes.has(tool))) turn.wrote = true;
    else if (message.role === "assistant") turn.text = spokenText(message);
  }
  return facts;
}
