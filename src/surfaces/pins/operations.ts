import { checkTextList, checkTexts } from "../../engine/check-fields.ts";
import { Draft } from "../../engine/draft.ts";
import type { Limits } from "../../engine/limits.ts";
import type { Handlers } from "../../engine/operations.ts";
import type { CallRule, Pin } from "../../engine/records.ts";
import { applyChanges, listResident, type State } from "../../engine/state.ts";
import { countCharacters, oneLine, quote } from "../../engine/text.ts";
import { cannotUndo, type UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";
import { maxPatternCharacters } from "./match-call.ts";

type Author = Pin["by"];

export type PinOperation =
  | { type: "pins.pin"; text: string; by: Author; rule?: CallRule }
  | { type: "pins.confirm"; id: string; by: Author; rule?: CallRule }
  | { type: "pins.unpin"; id: string; by: Author }
  | { type: "pins.find"; texts: string[]; replaced: string[] };

export type PinResult = { id: string; text: string };

export type ListedPin = Pin & { id: string };

/** Pins and found rules in the order in which they were made, without dropped ones. */
export function listPins(state: State): ListedPin[] {
  return allPins(state).filter(({ status }) => status !== "dropped");
}

/** Rules that were dropped or unpinned, so that they are not found again. */
export function droppedRules(state: State): string[] {
  return allPins(state).flatMap(({ status, text }) => (status === "dropped" ? [text] : []));
}

function allPins(state: State): ListedPin[] {
  return listResident(state, "pin")
    .map(([id, pin]) => ({ id, ...pin }))
    .sort((a, b) => numberOf(a.id) - numberOf(b.id));
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

/** Rejected rules to remember; older ones left the conversation long ago. */
const maxDropped = 50;

export const pinOperations: Handlers<PinOperation, PinResult> = {
  "pins.pin"(draft, operation, state, { limits }) {
    checkTexts(operation, "text");
    const { text, by, rule } = operation;
    if (text.trim() === "")
      throw new HoldfastError("invalid_input", `"text" is empty. Give the rule in the user's words.`);
    const same = listPins(state).find((pin) => oneLine(pin.text) === oneLine(text));
    if (same && isLocked(same, by)) return keepLocked(same, rule);
    const pin = pinned(same?.text ?? text, by, rule ?? same?.rule);
    return put(draft, state, same?.id ?? nextId(draft), pin, limits);
  },
  "pins.confirm"(draft, operation, state, { limits }) {
    checkTexts(operation, "id");
    const { id, by, rule } = operation;
    const pin = find(state, id);
    if (isLocked(pin, by)) return keepLocked(pin, rule);
    return put(draft, state, pin.id, pinned(pin.text, by, rule ?? pin.rule), limits);
  },
  "pins.unpin"(draft, operation, state) {
    checkTexts(operation, "id");
    const { id, by } = operation;
    const pin = find(state, id);
    if (isLocked(pin, by)) throw lockedRule(pin);
    // Remembered, so that the next checkpoint does not find it again.
    draft.put("pin", pin.id, { text: pin.text, status: "dropped", by });
    for (const old of allPins(state)
      .filter(({ status }) => status === "dropped")
      .slice(0, -maxDropped))
      draft.remove("pin", old.id);
    return { result: { id: pin.id, text: pin.text }, warnings: [] };
  },
  "pins.find"(draft, operation, state, { limits }) {
    checkTextList(operation, "texts");
    checkTextList(operation, "replaced");
    findRules(draft, operation.texts, operation.replaced, state, limits);
    return { result: { id: "", text: "" }, warnings: [] };
  },
};

/** The state with rules that are found but not written yet. */
export function previewFound(
  state: State,
  { texts, replaced }: { texts: string[]; replaced: string[] },
  limits: Limits,
): State {
  if (texts.length + replaced.length === 0) return state;
  const draft = new Draft(state, new Map());
  findRules(draft, texts, replaced, state, limits);
  return applyChanges(state, draft.changes);
}

/** Undo respects the budget too, and lifts no rule of a person: an agent can undo in a person's name, from a shell. */
export const pinUndo: UndoRules = {
  check(draft, state, { revision, inverse }, { limits }) {
    const touched = inverse.flatMap((change) =>
      change.type === "record" && change.kind === "pin" ? [change.key] : [],
    );
    if (touched.length === 0) return;
    const known = allPins(state).map(({ id }) => id);
    const after = readAll(draft, [...new Set([...known, ...touched])]);
    const lifted = rulesByPerson(state).find((pin) => !isUnchanged(pin, draft));
    if (lifted) throw undoesRule(revision, lifted);
    if (sizeOf(after, "pinned") > Math.max(limits.pinBytes, sizeOf(allPins(state), "pinned")))
      throw cannotUndo(revision, `the pins would take more than ${limits.pinBytes} bytes`);
  },
};

/** A rule of a person that refuses calls: only a person lifts or changes it. */
function isLocked({ status, rule, by }: Pin, author: Author): boolean {
  return status === "pinned" && rule !== undefined && by === "person" && author !== "person";
}

/** An agent may pin the user's words again; they stay the user's, with the user's rule. */
function keepLocked(pin: ListedPin, rule: CallRule | undefined): { result: PinResult; warnings: string[] } {
  if (rule && !isSameRule(checkedRule(rule), pin.rule)) throw lockedRule(pin);
  return { result: { id: pin.id, text: pin.text }, warnings: [] };
}

function isSameRule(rule: CallRule, other: CallRule | undefined): boolean {
  return rule.tool === other?.tool && rule.pattern === other.pattern;
}

function rulesByPerson(state: State): ListedPin[] {
  return allPins(state).filter((pin) => isLocked(pin, "agent"));
}

function isUnchanged({ id, by, rule }: ListedPin, draft: Draft): boolean {
  const after = draft.record("pin", id);
  return (
    after?.status === "pinned" && after.by === by && after.rule !== undefined && isSameRule(after.rule, rule)
  );
}

function pinned(text: string, by: Author, rule: CallRule | undefined): Pin {
  return { text, status: "pinned", by, ...(rule ? { rule: checkedRule(rule) } : {}) };
}

function checkedRule(rule: CallRule): CallRule {
  checkTexts(rule, "tool", "pattern");
  const { tool, pattern } = rule;
  if (tool.trim() === "")
    throw new HoldfastError(
      "invalid_input",
      `"tool" is empty. Name the tool whose calls are refused, or "*" for every tool.`,
    );
  if (tool.trim() === "*" && pattern.replaceAll("*", "").trim() === "")
    throw new HoldfastError(
      "invalid_input",
      "This rule would refuse every call of every tool. Name a tool, or give a pattern.",
    );
  if (Math.max(countCharacters(tool), countCharacters(pattern)) > maxPatternCharacters)
    throw new HoldfastError(
      "over_limit",
      `"tool" and "pattern" may have ${maxPatternCharacters} characters each.`,
    );
  return { tool: tool.trim(), pattern };
}

function put(
  draft: Draft,
  state: State,
  id: string,
  pin: Pin,
  limits: Limits,
): { result: PinResult; warnings: string[] } {
  const others = allPins(state).filter((other) => other.id !== id);
  const used = sizeOf(others, "pinned");
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

function findRules(draft: Draft, texts: string[], replaced: string[], state: State, limits: Limits): void {
  for (const { id, status } of allPins(state))
    if (status === "found" && replaced.includes(id)) draft.remove("pin", id);
  for (const text of texts) draft.insert("pin", nextId(draft), { text, status: "found", by: "system" });
  dropOldestFound(draft, state, limits);
}

/** Found rules have their own budget; the oldest make room. */
function dropOldestFound(draft: Draft, state: State, limits: Limits): void {
  const last = draft.counter("lastPin");
  const added = Array.from({ length: last - state.row.counters.lastPin }, (_, i) => `p${last - i}`);
  const found = readAll(draft, [...allPins(state).map(({ id }) => id), ...added.reverse()]).filter(
    ({ status }) => status === "found",
  );
  let size = sizeOf(found, "found");
  for (const pin of found) {
    if (size <= limits.foundRuleBytes) return;
    size -= bytesOf(pin);
    draft.remove("pin", pin.id);
  }
}

function readAll(draft: Draft, ids: readonly string[]): ListedPin[] {
  return ids.flatMap((id) => {
    const pin = draft.record("pin", id);
    return pin ? [{ id, ...pin }] : [];
  });
}

function sizeOf(pins: readonly Pin[], status: Pin["status"]): number {
  return pins.reduce((sum, pin) => sum + (pin.status === status ? bytesOf(pin) : 0), 0);
}

/** For the id, the line break and the words around a rule. */
const overhead = { pin: 8, rule: 50 };

function bytesOf({ text, rule }: Pin): number {
  const ruleBytes = rule ? utf8Length(rule.tool + rule.pattern) + overhead.rule : 0;
  return utf8Length(text) + overhead.pin + ruleBytes;
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

function nextId(draft: Draft): string {
  let number = draft.counter("lastPin") + 1;
  // A session may have pins without the counter, for example after an import.
  while (draft.record("pin", `p${number}`) !== null) number++;
  draft.mark("lastPin", number);
  return `p${number}`;
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

function undoesRule(revision: number, { id, text }: ListedPin): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `Revision ${revision} cannot be undone: that would lift or change a rule of the user, "${oneLine(text, 80)}". Nothing was changed. Only the user lifts it: holdfast unpin ${id}.`,
    { data: { revision } },
  );
}

function lockedRule({ id, text }: ListedPin): HoldfastError {
  return new HoldfastError(
    "locked",
    `The user pinned ${id} (${oneLine(text, 80)}) with a rule that refuses calls, so only the user can lift or change it: holdfast unpin ${id}. Nothing was changed. Ask the user.`,
    { data: { id } },
  );
}
