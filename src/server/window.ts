import { shownIn } from "../context/shown-memory.ts";
import { readEpoch, readSpans } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";
import type { HostSessions } from "./host-sessions.ts";
import { callsOf } from "./ledger.ts";
import { readMessages, summaryAlone, textOfMessage, textOfStored } from "./messages.ts";

type Line = Reply<"window">["lines"][number];

const maxLines = 200;
/** Older messages are rarely in the window of a long conversation; reading them all would block other requests. */
const maxMessages = 1_000;
/** A compaction makes a few calls of its own after the agent's last turn. */
const maxLookBack = 8;

export function windowHandlers({ memory, past, hosts }: ServerContext): Pick<Handlers, "window"> {
  return {
    async window({ params: { id }, query: { revision } }) {
      const session = await memory.resumeSession(id);
      const now = await session.state();
      const state = revision === undefined ? now : (await past.at(session, revision)).state;
      const found = findingsIn(state.row.notepad ?? "").slice(0, maxLines);
      const alone = await textWithoutMemory(session, state, hosts);
      const holdsAlone = containment(alone ?? "");
      const shown = containment(shownNotepad(state));
      const lines = found.map(({ text, line }): Line => {
        const isAlone = holdsAlone(text);
        return { text, line, alone: isAlone, kept: isAlone || shown(text) };
      });
      return {
        revision: revision ?? now.row.revision,
        lines,
        total: lines.length,
        alone: lines.filter((line) => line.alone).length,
        kept: lines.filter((line) => line.kept).length,
        isKnown: alone !== undefined,
      };
    },
  };
}

/** How full the window is: by the last call, or by the receipt of a compaction since. */
export async function fillOf(
  session: Session,
  state: State,
  { hosts, priceOf }: Pick<ServerContext, "hosts" | "priceOf">,
): Promise<Reply<"memory">["fill"]> {
  const calls = await callsOf(session, { limit: maxLookBack }, { hosts, priceOf });
  const last = calls.findLast(({ purpose }) => purpose !== "summary");
  if (!last || last.contextWindow === 0) return null;
  const limit = last.contextWindow;
  const isLimitKnown = last.source === "ledger";
  const epoch = readEpoch(state).number;
  const [receipt] =
    last.epoch < epoch && last.source === "ledger"
      ? await session.records("receipt", [String(epoch - 1)])
      : [];
  if (receipt)
    return { tokens: receipt.value.tokensAfter, limit, isLimitKnown, basis: "estimate", call: null };
  const { free: _free, ...parts } = last.parts;
  const estimate = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  return {
    tokens: last.usage.input ?? estimate,
    limit,
    isLimitKnown,
    basis: last.usage.input === null ? "estimate" : "provider",
    call: last.number,
  };
}

/** What the agent wrote down: the notepad's lines without headings, checkboxes and rules. */
function findingsIn(notepad: string): { text: string; line: number }[] {
  return notepad.split("\n").flatMap((source, index) => {
    const isStructure = /^\s*(?:#{1,6}\s|[-*+]\s+\[[ xX]\]|```|~~~|[-*_]{3,}\s*$)/.test(source);
    const text = source.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, "").trim();
    return isStructure || text === "" ? [] : [{ text, line: index + 1 }];
  });
}

/** The notepad as the model is shown it: in full, unless only a part of it fits. */
function shownNotepad(state: State): string {
  const shown = shownIn(state).get("notepad");
  return shown?.cutFrom === undefined ? (state.row.notepad ?? "") : shown.text;
}

/** The summaries and messages that are in the window; undefined when the conversation cannot be read. */
async function textWithoutMemory(
  session: Session,
  state: State,
  hosts: HostSessions,
): Promise<string | undefined> {
  const last = state.row.counters.lastMessage;
  if (last === 0) return hostWindow(session, state, hosts);
  const spans = readSpans(state).map(([, span]) => span);
  const messages = await readMessages(
    session,
    Math.max(1, last - maxMessages + 1),
    last,
    Number.MAX_SAFE_INTEGER,
    state,
  );
  const inWindow = messages.filter(({ inContext }) => inContext === "whole");
  return [...spans.map(({ text }) => summaryAlone(text)), ...inWindow.map(textOfMessage)].join("\n");
}

/** A coding agent's window: its newest summary, and the messages after it. */
async function hostWindow(session: Session, state: State, hosts: HostSessions): Promise<string | undefined> {
  const conversation = await hosts.conversation(session.id);
  if (!conversation) return undefined;
  const { messages, compactions } = conversation;
  const index = Math.min(compactions.length, readEpoch(state).number - 1) - 1;
  const [begun, next] = [compactions[index], compactions[index + 1]];
  const inWindow = messages.filter(
    ({ number }) => number > (begun?.to ?? 0) && number <= (next?.to ?? Number.POSITIVE_INFINITY),
  );
  return [begun?.summary ?? "", ...inWindow.map(({ stored }) => textOfStored(stored))].join("\n");
}

/**
 * Tests whether a text holds a line: verbatim, or all of its statements. Notes shorten what they were made from, so a
 * line such as "Revenue: 500 rows; by month" is held by "Revenue, 500 rows … by month".
 */
function containment(text: string): (line: string) => boolean {
  const content = plain(text);
  return (line) => {
    if (content.includes(plain(line))) return true;
    const statements = line
      .split(/[:;]\s/)
      .map(plain)
      .filter((statement) => statement !== "");
    return statements.length > 1 && statements.every((statement) => content.includes(statement));
  };
}

export function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
