import { checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Limits } from "../../engine/limits.ts";
import type { Handlers } from "../../engine/operations.ts";
import type { Pin } from "../../engine/records.ts";
import { listResident, type ProjectPin, type State } from "../../engine/state.ts";
import { oneLine, quote } from "../../engine/text.ts";
import { cannotUndo, type UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";
import { isKnowledgeOwner } from "../knowledge/handle.ts";

type Author = Pin["by"];

export type PinOperation =
  | { type: "pins.pin"; text: string; by: Author }
  | { type: "pins.unpin"; id: string; by: Author };

export type PinResult = { id: string; text: string };

export type ListedPin = ProjectPin;

/** The pins that hold for a session: the project's, then its own, each in the order in which they were made. */
export function listPins(state: State): ListedPin[] {
  return [...(state.projectPins ?? []), ...ownPins(state)];
}

/** The pins that a session holds itself. */
export function ownPins(state: State): ListedPin[] {
  return listResident(state, "pin")
    .map(([id, pin]) => ({ id, ...pin }))
    .sort((a, b) => numberOf(a.id) - numberOf(b.id));
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

/** The pin that has these words. */
export function samePin(state: State, text: string): ListedPin | undefined {
  return listPins(state).find((pin) => oneLine(pin.text) === oneLine(text));
}

/** Whether to pin these words again changes nothing. An agent may pin the user's words; they stay the user's. */
export function holdsAlready(state: State, pin: ListedPin, by: Author): boolean {
  return pin.by === by || isLocked(pin, by) || isOfProject(state, pin.id);
}

export const pinOperations: Handlers<PinOperation, PinResult> = {
  "pins.pin"(draft, operation, state, { limits }) {
    checkTexts(operation, "text");
    const { text, by } = operation;
    if (text.trim() === "")
      throw new HoldfastError("invalid_input", `"text" is empty. Give the rule in the user's words.`);
    const same = samePin(state, text);
    if (same && holdsAlready(state, same, by))
      return { result: { id: same.id, text: same.text }, warnings: [] };
    const pin: Pin = { text: same?.text ?? text, by };
    return put(draft, state, same?.id ?? nextId(draft, state), pin, limits);
  },
  "pins.unpin"(draft, operation, state) {
    checkTexts(operation, "id");
    const { id, by } = operation;
    const pin = find(state, id);
    if (isLocked(pin, by)) throw lockedPin(pin);
    draft.remove("pin", pin.id);
    return { result: { id: pin.id, text: pin.text }, warnings: [] };
  },
};

/** Undo respects the budget too, and removes a person's pin only for a person. */
export const pinUndo: UndoRules = {
  check(draft, state, { revision, inverse }, { limits, by = "agent" }) {
    const touched = inverse.flatMap((change) =>
      change.type === "record" && change.kind === "pin" ? [change.key] : [],
    );
    if (touched.length === 0) return;
    const known = ownPins(state).map(({ id }) => id);
    const after = readAll(draft, [...new Set([...known, ...touched])]);
    const removed = ownPins(state).find((pin) => isLocked(pin, by) && !isKept(pin, draft));
    if (removed) throw undoesPin(revision, removed);
    if (sizeOf(after) > Math.max(limits.pinBytes, sizeOf(ownPins(state))))
      throw cannotUndo(revision, `the pins would take more than ${limits.pinBytes} bytes`);
  },
};

/** Whether an id is that of a pin of the whole project. */
export function isProjectPin(id: string): boolean {
  return /^u\d+$/.test(id.trim());
}

function isOfProject({ projectPins = [] }: State, id: string): boolean {
  return projectPins.some((pin) => pin.id === id);
}

/** A pin by a person. Only a person removes it. */
function isLocked({ by }: Pin, author: string): boolean {
  return by === "person" && author !== "person";
}

function isKept({ id, by }: ListedPin, draft: Draft): boolean {
  return draft.record("pin", id)?.by === by;
}

function put(
  draft: Draft,
  state: State,
  id: string,
  pin: Pin,
  limits: Limits,
): { result: PinResult; warnings: string[] } {
  const others = listPins(state).filter((other) => other.id !== id);
  const used = sizeOf(others);
  const needed = bytesOf(pin);
  if (used + needed > limits.pinBytes) throw overBudget(used, needed, limits.pinBytes, pin);
  draft.put("pin", id, pin);
  return { result: { id, text: pin.text }, warnings: [] };
}

function overBudget(used: number, needed: number, limit: number, { text }: Pin): HoldfastError {
  const fits = Math.max(0, limit - used - (needed - utf8Length(text)));
  return new HoldfastError(
    "over_limit",
    `The pins take ${used} of ${limit} bytes and this one needs ${needed}. Nothing was changed. A text of up to ${fits} bytes would fit: shorten it, or unpin one that no longer holds.`,
    { data: { used, needed, limit, fits } },
  );
}

function readAll(draft: Draft, ids: readonly string[]): ListedPin[] {
  return ids.flatMap((id) => {
    const pin = draft.record("pin", id);
    return pin ? [{ id, ...pin }] : [];
  });
}

function sizeOf(pins: readonly Pin[]): number {
  return pins.reduce((sum, pin) => sum + bytesOf(pin), 0);
}

/** For the id and the line break. */
const overhead = 8;

function bytesOf({ text }: Pin): number {
  return utf8Length(text) + overhead;
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** `p1` in a session, `u1` where the pins of the whole project are. */
function nextId(draft: Draft, { row }: State): string {
  const letter = isKnowledgeOwner(row.owner) ? "u" : "p";
  let number = draft.counter("lastPin") + 1;
  // A session may have pins without the counter, for example after an import.
  while (draft.record("pin", `${letter}${number}`) !== null) number++;
  draft.mark("lastPin", number);
  return `${letter}${number}`;
}

function find(state: State, id: string): ListedPin {
  const pins = listPins(state);
  const pin = pins.find((each) => each.id === id.trim());
  if (pin) return pin;
  const known = pins.map((each) => `${each.id} (${oneLine(each.text, 60)})`).join(", ");
  throw new HoldfastError(
    "not_found",
    `There is no pin ${quote(id)}. ${known === "" ? "Nothing is pinned." : `The pins are: ${known}.`}`,
    { data: { id } },
  );
}

function undoesPin(revision: number, { id, text }: ListedPin): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} cannot be undone: that would remove what the user pinned, "${oneLine(text, 80)}". Nothing was changed. Only the user removes it: holdfast unpin ${id}.`,
    { data: { revision } },
  );
}

function lockedPin({ id, text }: ListedPin): HoldfastError {
  return new HoldfastError(
    "locked",
    `The user pinned ${id} (${oneLine(text, 80)}), so only the user can remove it: holdfast unpin ${id}. Nothing was changed. Ask the user.`,
    { data: { id } },
  );
}
