import type { AgentSetting } from "../../agent/agent-session.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { type NudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import { type StoredMessage, spokenText, toolCallsOf } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { State } from "../../engine/state.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import type { CallerSession } from "./caller-session.ts";

/** The hint for the turn under way, or "": chosen when the turn begins, and the same until it ends. */
export function createNudge(setting: AgentSetting, emit: (event: AgentEvent) => void) {
  const writes = new Set(
    setting.toolbox.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)])),
  );
  const given: NudgeFacts["given"] = {};
  let turn = { message: 0, epoch: 0, hint: "" };
  return (agent: CallerSession, state: State): string => {
    const message = agent.list.findLast((stored) => stored.message.role === "user")?.number ?? 0;
    if (message === turn.message) return turn.hint;
    const epoch = readEpoch(state).number;
    const facts = factsOf(agent.list, message, writes);
    const compacted = turn.epoch !== 0 && epoch !== turn.epoch;
    const planned = planNudge(
      { ...facts, isEmpty: isEmpty(state), compacted, given },
      { ...noNudges, ...setting.options.nudges },
    );
    turn = { message, epoch, hint: planned?.text ?? "" };
    if (planned) {
      given[planned.name] = facts.turns;
      emit({ type: "nudge", text: planned.text });
    }
    return turn.hint;
  };
}

type TurnFacts = Pick<NudgeFacts, "turns" | "turnsSinceWrite" | "wroteThisTurn" | "lastText">;

/** What the turns before the newest user message tell. */
function factsOf(messages: readonly StoredMessage[], newest: number, writes: ReadonlySet<string>): TurnFacts {
  let facts: TurnFacts = { turns: 0, turnsSinceWrite: 0, wroteThisTurn: true, lastText: "" };
  for (const stored of messages) {
    const { message, number } = stored;
    if (message.role === "user") {
      if (number === newest) break;
      facts = {
        turns: facts.turns + 1,
        turnsSinceWrite: facts.turnsSinceWrite + 1,
        wroteThisTurn: false,
        lastText: "",
      };
    } else if (toolCallsOf(stored).some(({ tool }) => writes.has(tool))) {
      facts = { ...facts, turnsSinceWrite: 0, wroteThisTurn: true };
    } else if (message.role === "assistant") facts.lastText = spokenText(message);
  }
  return facts;
}

function isEmpty(state: State): boolean {
  const { notes, plan, refs } = readScratchpad(state);
  return (
    !state.row.notepad && notes === "" && plan === "" && refs.length === 0 && state.row.counters.notes === 0
  );
}
