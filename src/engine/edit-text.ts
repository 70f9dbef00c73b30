import { HoldfastError } from "../errors.ts";
import { checkTexts } from "./check-fields.ts";
import {
  appendText,
  closestLine,
  countCharacters,
  countOccurrences,
  isLongerThan,
  prependText,
  quote,
  replaceText,
  takeCharacters,
} from "./text.ts";

/** The edits of `write_notepad` and `update_notepad`, for the text that prefixes the type. */
export type EditOperation<Text extends string = string> =
  | { type: `${Text}.${"write" | "append" | "prepend" | "delete"}`; content: string }
  | { type: `${Text}.replace`; find: string; replace: string; all: boolean };

/** The edited text: its name in errors, its limit in characters, and the tools that edit it. */
export interface EditedText {
  name: string;
  limit: number;
  editTool: string;
  writeTool: string;
  /** Whether a tool reads it. */
  hasReader: boolean;
}

export interface EditCounts {
  replaced?: number;
  otherMatches?: number;
}

/** Returns the text after an edit; throws if the edit fails or exceeds the limit. */
export function editWithin(
  before: string,
  operation: EditOperation,
  about: EditedText,
): { text: string; counts: EditCounts } {
  if ("find" in operation) checkTexts(operation, "find", "replace");
  else checkTexts(operation, "content");
  const { text, ...counts } = editText(before, operation, about);
  // If the text is over the limit already, because another program has a higher one, only lengthening it is refused.
  if (isLongerThan(text, about.limit) && isLongerThan(text, countCharacters(before)))
    throw overLimit(before, operation, text, about);
  return { text, counts };
}

interface TextEdit extends EditCounts {
  text: string;
}

function editText(before: string, operation: EditOperation, about: EditedText): TextEdit {
  const { name } = about;
  if ("find" in operation) {
    if (operation.find === "") throw emptySearch("find", name);
    const matches = countOccurrences(before, operation.find);
    if (matches === 0) throw textNotFound(before, operation.find, about);
    const replaced = operation.all ? matches : 1;
    const text = replaceText(before, operation.find, operation.replace, operation.all);
    return { text, replaced, otherMatches: matches - replaced };
  }
  if (operation.type.endsWith(".write")) return { text: operation.content };
  if (operation.type.endsWith(".append")) return { text: appendText(before, operation.content) };
  if (operation.type.endsWith(".prepend")) return { text: prependText(before, operation.content) };
  if (operation.content === "") throw emptySearch("content", name);
  const matches = countOccurrences(before, operation.content);
  if (matches === 0) throw textNotFound(before, operation.content, about);
  return { text: replaceText(before, operation.content, "", false), otherMatches: matches - 1 };
}

function emptySearch(field: string, name: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `"${field}" is empty, which would match everywhere in the ${name}. Pass the exact text to find.`,
    { data: { field } },
  );
}

function textNotFound(text: string, needle: string, { name, hasReader }: EditedText): HoldfastError {
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
    ? `The closest line is line ${closest.number}: ${JSON.stringify(closest.line)}. Copy the text exactly as it is there.`
    : hasReader
      ? `No line is similar. Read the ${name} and copy the text exactly.`
      : `No line is similar. The ${name} is ${JSON.stringify(takeCharacters(text, 1_000))}. Copy the text exactly.`;
  return new HoldfastError(
    "text_not_found",
    `${shown} was not found in the ${name}; nothing was changed. ${hint}`,
    {
      data: { needle, closestLine: closest?.line ?? null, lineNumber: closest?.number ?? null },
    },
  );
}

function overLimit(
  before: string,
  operation: EditOperation,
  after: string,
  about: EditedText,
): HoldfastError {
  const { name, limit, editTool, writeTool } = about;
  const [now, characters] = [countCharacters(before), countCharacters(after)];
  const advice = operation.type.endsWith(".write")
    ? `Shorten the content by at least ${characters - limit} characters; the maximum is ${limit}.`
    : `At most ${Math.max(0, limit - now)} more characters fit (a line break counts as one). Remove what you no longer need with ${editTool} delete, or rewrite the ${name} shorter with ${writeTool}.`;
  return new HoldfastError(
    "over_limit",
    `The ${name} would be ${characters} characters long; the limit is ${limit}, and it has ${now} now. Nothing was changed. ${advice}`,
    { data: { characters, limit, current: now, fits: Math.max(0, limit - now) } },
  );
}
