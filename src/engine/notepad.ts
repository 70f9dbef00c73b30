import { HoldfastError } from "../errors.ts";
import { checkTexts } from "./check-fields.ts";
import type { Draft } from "./draft.ts";
import type { Environment, Outcome } from "./operations.ts";
import {
  appendText,
  closestLine,
  countCharacters,
  countOccurrences,
  isLongerThan,
  prependText,
  quote,
  replaceText,
} from "./text.ts";

export type NotepadOperation =
  | { type: "notepad.write"; content: string }
  | { type: "notepad.append"; content: string }
  | { type: "notepad.prepend"; content: string }
  | { type: "notepad.replace"; find: string; replace: string; all: boolean }
  | { type: "notepad.delete"; content: string };

export type NotepadResult = { replaced?: number; otherMatches?: number };

export function applyNotepad(
  draft: Draft,
  operation: NotepadOperation,
  environment: Environment,
): Outcome<NotepadResult> {
  if (operation.type === "notepad.replace") checkTexts(operation, "find", "replace");
  else checkTexts(operation, "content");
  const before = draft.text("notepad");
  const edit = editText(before, operation, "notepad");
  const limit = environment.limits.notepadCharacters;
  // A notepad over a limit that was lowered later may still be made shorter.
  if (isLongerThan(edit.text, limit) && edit.text.length >= before.length)
    throw overLimit(before, operation, edit.text, limit);
  draft.setText("notepad", edit.text);
  const { text: _text, ...counts } = edit;
  return { result: counts, warnings: [] };
}

interface TextEdit {
  text: string;
  replaced?: number;
  otherMatches?: number;
}

type EditOperation =
  | {
      type: `${string}.write` | `${string}.append` | `${string}.prepend` | `${string}.delete`;
      content: string;
    }
  | { type: `${string}.replace`; find: string; replace: string; all: boolean };

/** The edits of `update_notepad`, on any text. `name` is what the text is called in an error. */
function editText(before: string, operation: EditOperation, name: string): TextEdit {
  if ("find" in operation) {
    if (operation.find === "") throw emptySearch("find", name);
    const matches = countOccurrences(before, operation.find);
    if (matches === 0) throw textNotFound(before, operation.find, name);
    const replaced = operation.all ? matches : 1;
    const text = replaceText(before, operation.find, operation.replace, operation.all);
    return { text, replaced, otherMatches: matches - replaced };
  }
  if (operation.type.endsWith(".write")) return { text: operation.content };
  if (operation.type.endsWith(".append")) return { text: appendText(before, operation.content) };
  if (operation.type.endsWith(".prepend")) return { text: prependText(before, operation.content) };
  if (operation.content === "") throw emptySearch("content", name);
  const matches = countOccurrences(before, operation.content);
  if (matches === 0) throw textNotFound(before, operation.content, name);
  return { text: replaceText(before, operation.content, "", false), otherMatches: matches - 1 };
}

function emptySearch(field: string, name: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"${field}" is empty, which would match everywhere in the ${name}. Give the exact text to look for.`,
    { data: { field } },
  );
}

function textNotFound(text: string, needle: string, name: string): HoldfastError {
  const shown = quote(needle);
  if (text === "") {
    return new HoldfastError(
      "text_not_found",
      `The ${name} is empty, so ${shown} is not in it. Use append or write.`,
      {
        data: { needle },
      },
    );
  }
  const closest = closestLine(text, needle);
  const hint = closest
    ? `The closest line is line ${closest.number}: ${JSON.stringify(closest.line)}. Copy the text exactly as it stands there.`
    : `No line looks like it. Read the ${name} and copy the text exactly.`;
  return new HoldfastError(
    "text_not_found",
    `${shown} was not found in the ${name}; nothing was changed. ${hint}`,
    {
      data: { needle, closestLine: closest?.line ?? null, lineNumber: closest?.number ?? null },
    },
  );
}

function overLimit(before: string, operation: NotepadOperation, after: string, limit: number): HoldfastError {
  const [now, characters] = [countCharacters(before), countCharacters(after)];
  const advice =
    operation.type === "notepad.write"
      ? `Shorten the content by at least ${characters - limit} characters: at most ${limit} fit.`
      : `At most ${Math.max(0, limit - now)} more characters fit (a line break counts as one). Remove what is no longer needed with update_notepad delete, or rewrite the notepad shorter with write_notepad.`;
  return new HoldfastError(
    "over_limit",
    `The notepad would be ${characters} characters long; the limit is ${limit}, and it has ${now} now. Nothing was changed. ${advice}`,
    { data: { characters, limit, current: now, fits: Math.max(0, limit - now) } },
  );
}
