import { countCharacters, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";

export const memoryRoot = "/memories";

/** Paths are kept as tags, and a tag has this many characters at most unless the memory was opened with other limits. */
const longestPath = 100;

/** Checks a path of the memory tool, and gives it without doubled slashes and without one at its end. */
export function checkPath(path: string): string {
  if (path !== memoryRoot && !path.startsWith(`${memoryRoot}/`)) {
    throw refused(
      `Path must start with /memories, got: ${path}. All memory is below /memories: view /memories to see it`,
    );
  }
  if (climbs(path)) {
    throw refused(
      `Path ${path} would escape /memories directory. Give a path below /memories without ".." in it`,
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a path
  if (/[\u0000-\u001f\u007f]/.test(path))
    throw refused(`Path ${quote(path)} holds a control character. Leave it out`);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const clean = `/${parts.join("/")}`;
  if (countCharacters(clean) > longestPath) {
    throw refused(`Path ${quote(path)} is too long: at most ${longestPath} characters. Use a shorter name`);
  }
  return clean;
}

/** Whether a path leads upwards, in plain or in percent-encoded form, encoded once or again and again. */
function climbs(path: string): boolean {
  let form = path;
  for (;;) {
    if (form.split(/[/\\]/).some((part) => part.trim() === "..")) return true;
    const decoded = decode(form);
    if (decoded === form) return false;
    form = decoded;
  }
}

function decode(text: string): string {
  // One escape at a time: a stray % elsewhere must not keep the rest from being looked at.
  return text.replaceAll(/%(2e|2f|5c|25)/gi, (code) => decodeURIComponent(code));
}

function refused(message: string): HoldfastError {
  return new HoldfastError("invalid_input", `${message}.`, { data: { field: "path" } });
}
