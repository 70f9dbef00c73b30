import { isLongerThan, oneLine } from "../../engine/text.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";

/** The error of a refused call. */
export function refusal(
  code: ErrorCode,
  problem: string,
  next: string,
  data: Record<string, unknown> = {},
): HoldfastError {
  return new HoldfastError(code, `${problem}. Nothing was changed. ${next}.`, { data });
}

const maxTextLength = 2_000;

/** Puts a text on one line, because a line break would start a new structure in the file; refuses empty and long texts. */
export function requireLine(text: string, field: string): string {
  const line = oneLine(text);
  if (isLongerThan(line, maxTextLength))
    throw refusal("over_limit", `"${field}" has more than ${maxTextLength} characters`, "Shorten it", {
      field,
      limit: maxTextLength,
    });
  if (line === "") throw refusal("invalid_input", `"${field}" is empty`, "Call again with a text", { field });
  return line;
}
