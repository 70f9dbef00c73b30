import { oneLine } from "../engine/text.ts";

/** Colors of a terminal, and tags that a host puts around an error. */
const decoration = new RegExp(
  `${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]|</?(?:tool_use_error|error)>`,
  "g",
);

/** Rulers, progress bars and percentages, which say nothing once the call has ended. */
const progress = /^[\s\p{S}\p{P}]*$|[█▓▒░#=>]{3}.{0,80}\d\s?%|\d\s?%.{0,80}(?:[█▓▒░#=>]{3}|\/s\b|\bETA\b)/u;

const stackFrame =
  /^\s{0,40}(?:at .{1,200}[:(]\d|File ".{1,200}", line \d|\d{1,6}: 0x[\da-f]|[^\s]{0,200}node_modules\/[^\s]{0,200}:\d{1,7}:\d)/;

/** More of a result is not read: its beginning and its end say what came of the call. */
const maxRead = 6_000;

/** The lines of a result that a reader needs: no colors, progress, stack frames, or lines that differ only in numbers. */
function thinLines(result: string): string[] {
  const half = maxRead / 2;
  const text =
    result.length <= maxRead ? result : `${result.slice(0, half)}\n…\n${result.slice(-half)}`.toWellFormed();
  const shapes = new Map<string, number>();
  const lines: { shape: string; line: string }[] = [];
  for (const shown of text.replaceAll(decoration, "").split("\n")) {
    // A carriage return begins the line again.
    const line = oneLine(shown.slice(shown.trimEnd().lastIndexOf("\r") + 1));
    if (line === "" || (line !== "…" && progress.test(line)) || stackFrame.test(shown)) continue;
    const shape = line.replaceAll(/\d+/g, "0");
    const times = (shapes.get(shape) ?? 0) + 1;
    shapes.set(shape, times);
    if (times <= maxAlike) lines.push({ shape, line });
  }
  const last = new Map(lines.map(({ shape }, index) => [shape, index]));
  return lines.map(({ shape, line }, index) => {
    const more = (shapes.get(shape) ?? 0) - maxAlike;
    return more > 0 && last.get(shape) === index ? `${line} (and ${more} more like it)` : line;
  });
}

/** Lines of one shape that are shown before the rest is counted. */
const maxAlike = 3;

/** The line that a tool writes about the end of a command. */
const exitLine =
  /^\W*(?:(?:the )?(?:process|command) )?(?:exit|exited with|exited|finished with)[ _]?(?:code|status)\b"?\s?[:=]?\s?(\d{1,3})\W*$/i;

const exitField = /"exit_?(?:code|status)"\s*:\s*([1-9]\d{0,2})\b/i;

const errorLine =
  /\b(?:error|err!|exception|fatal|fail(?:ed|ure|ing)?|cannot|can't|could not|denied|not found|no such|invalid|panic|refused|unexpected|timed out|unable)\b/i;

/** The outcome of a call in one line: its error if it failed, else the beginning and the end of what it returned. */
export function describeOutcome(
  result: string,
  isError: boolean,
  limit: number,
  isCommand = true,
): { text: string; failed: boolean } {
  // A caller may put the name of the tool before what it reports.
  const lines = thinLines(result.replace(/^[\w-]+ failed: /, ""));
  // A command reports its exit at the beginning or the end; what it printed may be about other exit codes.
  const ends = isCommand ? [...lines.slice(0, 2), ...lines.slice(-2)] : [];
  const code = ends.map((line) => exitLine.exec(line)?.[1]).find((found) => found !== undefined);
  const exit =
    code ?? (isCommand && /^\s*\{/.test(result) ? exitField.exec(result.slice(0, maxRead))?.[1] : undefined);
  const failed = isError || (exit !== undefined && exit !== "0");
  const told = code === undefined ? lines : lines.filter((line) => !exitLine.test(line));
  if (!failed) return { text: cutLine(told.join(" | "), limit), failed };
  const first = told.findIndex((line) => errorLine.test(line));
  const error = (first === -1 ? told : told.slice(first)).join(" | ");
  const status = exit === undefined || exit === "0" ? "FAILED" : `FAILED, exit ${exit}`;
  return { text: error === "" ? status : `${status}: ${cutLine(error, limit)}`, failed };
}

/** One line without its middle, if it is longer than the limit. */
export function cutLine(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 40) return `${text.slice(0, Math.max(0, limit - 1)).trimEnd()}…`.toWellFormed();
  const head = Math.ceil(limit * 0.65);
  return `${text.slice(0, head).trimEnd()} … ${text.slice(text.length - (limit - head - 3)).trimStart()}`.toWellFormed();
}
