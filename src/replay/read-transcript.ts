import { HoldfastError } from "../errors.ts";
import { looksLikeClaudeCode, readClaudeCode } from "./read-claude-code.ts";
import { parseLines } from "./read-lines.ts";
import { looksLikePi, readPi } from "./read-pi.ts";
import type { Transcript, TranscriptWarning } from "./transcript.ts";

/**
 * Reads a recorded session of pi or of Claude Code. Lines that cannot be read are left out and named.
 *
 * @example readTranscript(text).calls.length
 */
export function readTranscript(text: string): Transcript {
  const { lines, warnings } = parseLines(text);
  if (lines.length === 0)
    throw notTranscript(text.trim() === "" ? "is empty" : "has no line with a JSON object", warnings);
  const transcript = looksLikePi(lines)
    ? readPi(text, lines, warnings)
    : looksLikeClaudeCode(lines)
      ? readClaudeCode(lines, warnings)
      : undefined;
  if (!transcript) throw notTranscript("is neither a pi session nor a Claude Code session", warnings);
  if (transcript.calls.length === 0) {
    throw new HoldfastError(
      "invalid_input",
      "This transcript records no token usage, so there is nothing to replay. Take one in which the model answered at least once (assistant messages with a usage field).",
      { data: { format: transcript.format, messages: transcript.messages.length } },
    );
  }
  transcript.warnings.sort((left, right) => left.line - right.line);
  return transcript;
}

function notTranscript(problem: string, warnings: readonly TranscriptWarning[]): HoldfastError {
  const [first] = warnings;
  const detail = first === undefined ? "" : ` Line ${first.line}: ${first.message}`;
  return new HoldfastError(
    "invalid_input",
    `The file ${problem}.${detail} Pass a .jsonl file from ~/.pi/agent/sessions or ~/.claude/projects.`,
    { data: { warnings: warnings.slice(0, 20) } },
  );
}
