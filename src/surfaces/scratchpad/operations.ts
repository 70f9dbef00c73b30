import { fenceContent } from "../../context/fence.ts";
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

/** The text of the non-empty spaces: what the block shows between its markers, and what the token budget counts. */
export function spacesText({ notes, plan, refs }: Scratchpad): string {
  const parts = [
    notes === "" ? "" : fenceContent(notes),
    plan === "" ? "" : `Plan:\n${fenceContent(plan)}`,
    refs.length === 0 ? "" : `References:\n${refs.map(renderRef).join("\n")}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Further lines of a reference are indented, so that each bullet is one reference. */
function renderRef(ref: string): string {
  return `• ${fenceContent(ref).replaceAll("\n", "\n  ")}`;
}

export const scratchpadOperations: Handlers<ScratchpadOperation, ScratchpadResult> = {
  "scratchpad.set_notes"(draft, operation, state, environment) {
    checkTexts(operation, "content");
    return setSpace(draft, "notes", operation.content, state, environment);
  },
  "scratchpad.append_notes"(draft, operation, state, environment) {
    checkTexts(operation, "content");
    return appendNotes(draft, operation.content, state, environment);
  },
  "scratchpad.set_plan"(draft, operation, state, environment) {
    checkTexts(operation, "content");
    return setSpace(draft, "plan", operation.content, state, environment);
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
  /** The older form of the call: it writes the space `notes` and answers in tokens. */
  "scratchpad.write"(draft, operation, state, environment) {
    checkTexts(operation, "content");
    const { content, mode } = operation;
    const outcome =
      mode === "append"
        ? appendNotes(draft, content, state, environment)
        : setSpace(draft, "notes", content, state, environment, true);
    if (outcome.result.truncated) return outcome;
    const tokens = tokensOf({ ...readScratchpad(state), notes: draft.text("space/notes") }, environment);
    const budget = environment.limits.scratchpadTokens;
    return { result: { message: `Scratchpad updated (${tokens} tokens / ${budget} budget)` }, warnings: [] };
  },
};

/** Undo respects the budgets, too. */
export const scratchpadUndo: UndoRules = {
  fits: {
    "space/plan": (text, { limits }) => !isLongerThan(text, limits.spacePlanCharacters),
    "space/notes": (text, { limits }) => !isLongerThan(text, limits.spaceNotesCharacters),
  },
  check(draft, state, { revision, inverse }, environment) {
    const touched = inverse.flatMap((change) =>
      change.type === "record" && change.kind === "ref" ? [change.key] : [],
    );
    const before = listResident(state, "ref").map(([key]) => key);
    const refs = [...new Set([...before, ...touched])]
      .map((key) => draft.record("ref", key))
      .filter((ref) => ref !== null);
    if (new Set(refs).size < refs.length)
      throw cannotUndo(revision, "a ref that it would restore has been added again");
    if (refs.length > Math.max(environment.limits.refs, before.length))
      throw cannotUndo(revision, `there would be more than ${environment.limits.refs} refs`);
    const restored = { notes: draft.text("space/notes"), plan: draft.text("space/plan"), refs };
    if (tokensOf(restored, environment) > tokenRoom(state, environment))
      throw cannotUndo(revision, `the scratchpad would exceed ${environment.limits.scratchpadTokens} tokens`);
  },
};

function tokensOf(scratchpad: Scratchpad, { countTokens }: Environment): number {
  return countTokens(spacesText(scratchpad));
}

/** Tokens that the scratchpad may take. One that is over a lowered budget may stay as long as it is. */
function tokenRoom(state: State, environment: Environment): number {
  return Math.max(environment.limits.scratchpadTokens, tokensOf(readScratchpad(state), environment));
}

function setSpace(
  draft: Draft,
  space: "notes" | "plan",
  content: string,
  state: State,
  environment: Environment,
  tokensFirst = false,
): Outcome<ScratchpadResult> {
  const { spaceNotesCharacters, spacePlanCharacters } = environment.limits;
  const limit = space === "notes" ? spaceNotesCharacters : spacePlanCharacters;
  const others = readScratchpad(state);
  const tokensWith = (text: string) => tokensOf({ ...others, [space]: text }, environment);
  const within = takeCharacters(content, limit);
  const room = tokenRoom(state, environment);
  const kept = tokensWith(within) <= room ? within : longestStart(within, (text) => tokensWith(text) <= room);
  if (kept === "" && content !== "") throw noRoom(space, tokensWith(within), environment);
  draft.setText(`space/${space}`, kept);
  const original = tokensFirst || kept !== within ? tokensWith(content) : 0;
  if (kept !== within && environment.by === "person") throw tooLong(tokensWith(content), environment);
  if (kept !== within || original > room) return truncatedToTokens(draft, original, environment);
  const characters = countCharacters(content);
  if (kept === content) {
    return { result: { message: `${space} updated (${characters} / ${limit} characters)` }, warnings: [] };
  }
  return truncated(draft, `${space} truncated to ${limit} characters (original: ${characters})`);
}

function appendNotes(
  draft: Draft,
  content: string,
  state: State,
  environment: Environment,
): Outcome<ScratchpadResult> {
  const limit = environment.limits.spaceNotesCharacters;
  const others = readScratchpad(state);
  const current = others.notes;
  const now = countCharacters(current);
  const onNewLine = appendText(current, content);
  // Near the limit, drop the separating line break rather than refuse the append.
  const combined = isLongerThan(onNewLine, limit) ? current + content : onNewLine;
  const characters = countCharacters(combined);
  checkAppend({ ...others, notes: combined }, content, state, environment);
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

/** Refuses an addition that would take the scratchpad over its tokens. */
function checkAppend(after: Scratchpad, added: string, state: State, environment: Environment): void {
  if (tokensOf(after, environment) <= tokenRoom(state, environment)) return;
  const budget = environment.limits.scratchpadTokens;
  const [current, append] = [tokensOf(readScratchpad(state), environment), environment.countTokens(added)];
  throw new HoldfastError(
    "over_limit",
    `Append would exceed ${budget} token budget (current: ${current}, append: ${append}). Use mode 'replace' to rewrite, or reduce content.`,
    { data: { current, append, budget } },
  );
}

/** A write of which nothing would be left is refused, because the other spaces take all of the tokens. */
function noRoom(space: "notes" | "plan" | "refs", tokens: number, { limits }: Environment): HoldfastError {
  const limit = limits.scratchpadTokens;
  return new HoldfastError(
    "over_limit",
    `The scratchpad has no room for ${space}: it would take ${tokens} tokens, and the limit of all spaces together is ${limit}. Nothing was changed. Shorten another space first, for example with set_notes.`,
    { data: { tokens, limit } },
  );
}

/** A person's text is never cut behind their back. */
function tooLong(tokens: number, { limits }: Environment): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `The scratchpad would take ${tokens} tokens; the limit is ${limits.scratchpadTokens}. Nothing was changed. Shorten it.`,
    { data: { tokens, limit: limits.scratchpadTokens } },
  );
}

function truncatedToTokens(
  draft: Draft,
  original: number,
  { limits }: Environment,
): Outcome<ScratchpadResult> {
  return truncated(
    draft,
    `Scratchpad truncated to ${limits.scratchpadTokens} tokens (original: ${original})`,
  );
}

function truncated(draft: Draft, what: string): Outcome<ScratchpadResult> {
  const message = `${what}. Consider summarizing. The full text is kept in the history as revision ${draft.row.revision + 1}.`;
  return { result: { message, truncated: true }, warnings: [message] };
}

/** The longest beginning of a text that fits. */
function longestStart(text: string, fits: (start: string) => boolean): string {
  let known = 0;
  let tooLong = text.length + 1;
  while (tooLong - known > 1) {
    const middle = (known + tooLong) >> 1;
    if (fits(text.slice(0, middle).toWellFormed())) known = middle;
    else tooLong = middle;
  }
  const unit = text.charCodeAt(known - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? known - 1 : known);
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
  const others = existing.filter((entry) => entry !== same);
  const dropped = others.slice(0, Math.max(0, others.length + 1 - limit));
  const refs = [...others.slice(dropped.length).map(([, value]) => value), ref];
  checkAppend({ ...readScratchpad(state), refs }, ref, state, environment);
  if (same) draft.remove("ref", same[0]);
  for (const [key] of dropped) draft.remove("ref", key);
  insertRef(draft, ref);
  const count = refs.length;
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
  const capped = unique.slice(0, limit);
  for (const ref of capped) checkRef(ref, environment);
  const others = readScratchpad(state);
  const room = tokenRoom(state, environment);
  const tokensWith = (refs: string[]) => tokensOf({ ...others, refs }, environment);
  const original = tokensWith(capped);
  let kept = capped;
  while (kept.length > 0 && tokensWith(kept) > room) kept = kept.slice(0, -1);
  if (kept.length === 0 && capped.length > 0) throw noRoom("refs", original, environment);
  for (const [key] of listResident(state, "ref")) draft.remove("ref", key);
  for (const ref of kept) insertRef(draft, ref);
  if (kept !== capped) return truncatedToTokens(draft, original, environment);
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
