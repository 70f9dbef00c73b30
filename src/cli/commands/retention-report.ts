import { keepEverything, type RetentionRules } from "../../engine/retention.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { RetentionSurvey } from "../../sessions/retention.ts";
import { ageOf, counted, sizeOf } from "../terminal/quantities.ts";
import type { Screen } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";

/** Runs a whole sweep now. */
export async function applyRetention(memory: Memory): Promise<void> {
  while (!(await memory.retention.step(1_000, { waits: false })));
}

export function retentionJson(rules: RetentionRules, { room, sessions, trims }: RetentionSurvey) {
  return {
    rules,
    bytes: room.bytes ?? null,
    warning: room.warning ?? null,
    sessions: sessions.map(({ id, status, updatedAt }) => ({ id, status, updatedAt })),
    trims: trims.map(({ session, entries, calls }) => ({ id: session.id, entries, calls })),
  };
}

/** The rules, what the store takes, and what they remove: `isDone` if it has gone. */
export function renderRetention(
  rules: RetentionRules,
  { room, sessions, trims }: RetentionSurvey,
  isDone: boolean,
  screen: Screen,
): string[] {
  const gone = sessions.flatMap(({ id, title, status, updatedAt }) =>
    wrapSpans(
      [
        { text: id, style: "cyan" },
        ...(title ? [{ text: `  ${visibleLine(title)}` }] : []),
        { text: "  " },
        ...dotted([status, ageOf(updatedAt)]),
      ],
      "  ",
      "    ",
      screen,
    ),
  );
  const entries = trims.reduce((sum, each) => sum + each.entries, 0);
  const calls = trims.reduce((sum, each) => sum + each.calls, 0);
  const will = isDone ? "removed" : "would go";
  const removed = [
    ...(sessions.length > 0 ? [`${counted(sessions.length, "session")} ${will} for good:`, ...gone] : []),
    ...(entries > 0
      ? [`${counted(entries, "operation")} of the history of ${counted(trims.length, "session")} ${will}.`]
      : []),
    ...(calls > 0 ? [`${counted(calls, "recorded model call")} ${will}.`] : []),
  ];
  return [
    ...describeRules(rules),
    ...(room.bytes === undefined ? [] : ["", `The store takes ${sizeOf(room.bytes)}.`]),
    ...(room.warning ? [room.warning] : []),
    "",
    ...(removed.length === 0 ? ["Nothing to remove."] : removed),
    ...(isDone || removed.length === 0
      ? []
      : ["It goes in the background while a program is open. Add --yes to do it now."]),
  ];
}

function describeRules(rules: RetentionRules): string[] {
  if (JSON.stringify(rules) === JSON.stringify(keepEverything))
    return ["Retention is off: nothing is removed on its own."];
  const days = (count: number) => (count === 0 ? "for ever" : `for ${counted(count, "day")}`);
  const last = (count: number, what: string) =>
    count === 0 ? "" : `, at most the last ${counted(count, what)}`;
  return [
    "Kept, as the config says under retention (holdfast config shows where each value comes from):",
    `  history            ${days(rules.historyDays)}${last(rules.historyOperations, "operation")} of a session, and always the last day`,
    `  model calls        ${days(rules.ledgerDays)}${last(rules.ledgerCalls, "call")} of a session, and those that prove a compaction`,
    `  deleted sessions   ${days(rules.deletedDays)}`,
    `  archived sessions  ${days(rules.archivedDays)}`,
    "  everything else    until you delete it",
    `  size               ${rules.maxMegabytes === 0 ? "no limit" : `up to ${sizeOf(rules.maxMegabytes * 1_000_000)}; a week above it, older things go first`}`,
  ];
}
