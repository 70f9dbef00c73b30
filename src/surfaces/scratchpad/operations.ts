import { checkTextList, checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Environment, Handlers, Outcome } from "../../engine/operations.ts";
import { listResident, readText, type State } from "../../engine/state.ts";
import { appendText, countCharacters, isLongerThan, quote, takeCharacters } from "../../engine/text.ts";
import { cannotUndo, type UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";

export type ScratchpadOperation =
  | { type: "scratchpad.set_notes"; content: string }
  | { type: "scratchpad.append_notes"; content: string }
  | { type: "scratchpad.set_plan"; content: string }
  | { type: "scratchpad.refs_add"; ref: string }
  | { type: "scratchpad.refs_remove"; ref: string }
  | { type: "scratchpad.refs_set"; items: string[] }
  | { type: "scratchpad.write"; content: string; mode: "replace" | "append" };

export type ScratchpadResult = { message: string; truncated?: boolean };

export interface Scratchpad {
  notes: string;
  plan: string;
  /** Oldest first. */
  refs: string[];
}

export function readScratchpad(state: State): Scratchpad {
  return {
    notes: readText(state, "space/notes"),
    plan: readText(state, "space/plan"),
    refs: listResident(state, "ref").map(([, ref]) => ref),
  };
}

export const scratchpadOperations: Handlers<ScratchpadOperation, ScratchpadResult> = {
  "scratchpad.set_notes"(draft, operation, _state, { limits }) {
    checkTexts(operation, "content");
    return setSpace(draft, "notes", operation.content, limits.spaceNotesCharacters);
  },
  "scratchpad.append_notes"(draft, operation, _state, { limits }) {
    checkTexts(operation, "content");
    return appendNotes(draft, operation.content, limits.spaceNotesCharacters);
  },
  "scratchpad.set_plan"(draft, operation, _state, { limits }) {
    checkTexts(operation, "content");
    return setSpace(draft, "plan", operation.content, limits.spacePlanCharacters);
  },
  "scratchpad.refs_add"(draft, operation, state, environment) {
    checkTexts(operation, "ref");
    return addRef(draft, state, operation.ref, environment);
  },
  "scratchpad.refs_remove"(draft, operation, state) {
    checkTexts(operation, "ref");
    return removeRef(draft, state, operation.ref);
  },
  "scratchpad.refs_set"(draft, operation, state, environment) {
    checkTextList(operation, "items");
    return setRefs(draft, state, operation.items, environment);
  },
  "scratchpad.write"(draft, operation, _state, environment) {
    checkTexts(operation, "content");
    return writeByTokens(draft, operation, environment);
  },
};

/** Undo respects the budgets too. The space `notes` has two, one for each form of the call. */
export const scratchpadUndo: UndoRules = {
  fits: {
    "space/plan": (text, { limits }) => !isLongerThan(text, limits.spacePlanCharacters),
    "space/notes": (text, { limits, countTokens }) =>
      !isLongerThan(text, limits.spaceNotesCharacters) || countTokens(text) <= limits.scratchpadTokens,
  },
  check(draft, state, { revision, inverse }, { limits }) {
    const touched = inverse.flatMap((change) =>
      change.type === "record" && change.kind === "ref" ? [change.key] : [],
    );
    if (touched.length === 0) return;
    const before = listResident(state, "ref").map(([key]) => key);
    const refs = [...new Set([...before, ...touched])]
      .map((key) => draft.record("ref", key))
      .filter((ref) => ref !== null);
    if (new Set(refs).size < refs.length)
      throw cannotUndo(revision, "a ref that it would restore has been added again");
    if (refs.length > Math.max(limits.refs, before.length))
      throw cannotUndo(revision, `there would be more than ${limits.refs} refs`);
  },
};

function setSpace(
  draft: Draft,
  space: "notes" | "plan",
  content: string,
  limit: number,
): Outcome<ScratchpadResult> {
  const kept = takeCharacters(content, limit);
  draft.setText(`space/${space}`, kept);
  const characters = countCharacters(content);
  if (kept === content) {
    return { result: { message: `${space} updated (${characters} / ${limit} characters)` }, warnings: [] };
  }
  const message = `${space} truncated to ${limit} characters (original: ${characters}). Consider summarizing. ${fullTextHint(draft)}`;
  return { result: { message, truncated: true }, warnings: [message] };
}

function appendNotes(draft: Draft, content: string, limit: number): Outcome<ScratchpadResult> {
  const current = draft.text("space/notes");
  const now = countCharacters(current);
  const onNewLine = appendText(current, content);
  // Near the limit, drop the separating line break rather than refuse the append.
  const combined = isLongerThan(onNewLine, limit) ? current + content : onNewLine;
  const characters = countCharacters(combined);
  if (characters > limit) {
    throw new HoldfastError(
      "over_limit",
      `Append would exceed ${limit} characters (current: ${now}, append: ${countCharacters(content)}, room: ${Math.max(0, limit - now)}). Notes are unchanged. Use set_notes to overwrite them with a summary, or append less.`,
      { data: { current: now, limit, fits: Math.max(0, limit - now) } },
    );
  }
  draft.setText("space/notes", combined);
  return { result: { message: `notes updated (${characters} / ${limit} characters)` }, warnings: [] };
}

/** The older form of the call: one text with a token budget, stored in the space `notes`. */
function writeByTokens(
  draft: Draft,
  operation: { content: string; mode: "replace" | "append" },
  environment: Environment,
): Outcome<ScratchpadResult> {
  const budget = environment.limits.scratchpadTokens;
  if (operation.mode === "append") {
    const current = draft.text("space/notes");
    const combined = appendText(current, operation.content);
    const tokens = environment.countTokens(combined);
    if (tokens > budget) {
      const [now, added] = [environment.countTokens(current), environment.countTokens(operation.content)];
      throw new HoldfastError(
        "over_limit",
        `Append would exceed ${budget} token budget (current: ${now}, append: ${added}). Use mode 'replace' to rewrite, or reduce content.`,
        { data: { current: now, append: added, budget } },
      );
    }
    draft.setText("space/notes", combined);
    return { result: { message: `Scratchpad updated (${tokens} tokens / ${budget} budget)` }, warnings: [] };
  }
  const original = environment.countTokens(operation.content);
  if (original <= budget) {
    draft.setText("space/notes", operation.content);
    return {
      result: { message: `Scratchpad updated (${original} tokens / ${budget} budget)` },
      warnings: [],
    };
  }
  draft.setText("space/notes", takeTokens(operation.content, budget, environment.countTokens));
  const message = `Scratchpad truncated to ${budget} tokens (original: ${original}). Consider summarizing. ${fullTextHint(draft)}`;
  return { result: { message, truncated: true }, warnings: [message] };
}

/** The longest prefix of a text that fits a token budget. */
function takeTokens(text: string, budget: number, countTokens: (text: string) => number): string {
  let fits = 0;
  let tooLong = text.length + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (countTokens(text.slice(0, middle).toWellFormed()) <= budget) fits = middle;
    else tooLong = middle;
  }
  const unit = text.charCodeAt(fits - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? fits - 1 : fits);
}

function addRef(
  draft: Draft,
  state: State,
  ref: string,
  environment: Environment,
): Outcome<ScratchpadResult> {
  checkRef(ref, environment);
  const limit = environment.limits.refs;
  const existing = listResident(state, "ref");
  const same = existing.find(([, value]) => value === ref);
  if (same) draft.remove("ref", same[0]);
  const others = existing.filter((entry) => entry !== same);
  const dropped = others.slice(0, Math.max(0, others.length + 1 - limit));
  for (const [key] of dropped) draft.remove("ref", key);
  insertRef(draft, ref);
  const count = others.length - dropped.length + 1;
  const moved = same ? "ref was already there and is now the newest" : "ref added";
  if (dropped.length === 0)
    return { result: { message: `${moved} (${count} / ${limit} refs)` }, warnings: [] };
  const names = dropped.map(([, value]) => quote(value)).join(", ");
  const message = `${moved} (${count} / ${limit} refs); the oldest was dropped to make room: ${names}`;
  return { result: { message }, warnings: [message] };
}

function removeRef(draft: Draft, state: State, ref: string): Outcome<ScratchpadResult> {
  if (ref === "") throw emptyRef();
  const existing = listResident(state, "ref");
  const found = existing.find(([, value]) => value === ref);
  if (!found) {
    const known = existing.map(([, value]) => quote(value)).join(", ");
    throw new HoldfastError(
      "not_found",
      `ref not found: ${quote(ref)}. ${known ? `The refs are: ${known}` : "There are no refs."}`,
      { data: { ref } },
    );
  }
  draft.remove("ref", found[0]);
  return { result: { message: `ref removed (${existing.length - 1} refs left)` }, warnings: [] };
}

function setRefs(
  draft: Draft,
  state: State,
  items: string[],
  environment: Environment,
): Outcome<ScratchpadResult> {
  const limit = environment.limits.refs;
  const unique = [...new Set(items.filter((item) => item !== ""))];
  const kept = unique.slice(0, limit);
  for (const ref of kept) checkRef(ref, environment);
  for (const [key] of listResident(state, "ref")) draft.remove("ref", key);
  for (const ref of kept) insertRef(draft, ref);
  return { result: { message: `refs set (${kept.length} / ${limit} refs)` }, warnings: [] };
}

function insertRef(draft: Draft, ref: string): void {
  const number = draft.counter("lastRef") + 1;
  draft.mark("lastRef", number);
  draft.insert("ref", String(number).padStart(12, "0"), ref);
}

function checkRef(ref: string, environment: Environment): void {
  if (ref === "") throw emptyRef();
  const limit = environment.limits.refCharacters;
  const characters = countCharacters(ref);
  if (characters > limit) {
    throw new HoldfastError(
      "over_limit",
      `ref exceeds maximum length of ${limit} characters (got ${characters}). A ref is a path, URL or id; put longer text into notes`,
      { data: { characters, limit } },
    );
  }
}

function emptyRef(): HoldfastError {
  return new HoldfastError("invalid_input", `"ref" is empty. Give a path, URL or identifier.`, {
    data: { field: "ref" },
  });
}

function fullTextHint(draft: Draft): string {
  const revision = draft.row.revision + 1;
  return `The full text is kept in the journal as revision ${revision}: holdfast log ${draft.row.id} --revision ${revision}`;
}
