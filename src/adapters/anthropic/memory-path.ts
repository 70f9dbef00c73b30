import { countCharacters, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";

export const memoryRoot = "/memories";

/** Paths are stored as tags, and this is the default max length of a tag. */
const maxPathLength = 100;

/** Validates a path of the memory tool and returns it without doubled or trailing slashes. */
export function checkPath(path: string): string {
  if (path !== memoryRoot && !path.startsWith(`${memoryRoot}/`)) {
    throw refused(
      `Path must start with /memories, got: ${path}. All memory is below /memories: view /memories to see it`,
    );
  }
  if (leadsUpwards(path)) {
    throw refused(
      `Path ${path} would escape /memories directory. Give a path below /memories without ".." in it`,
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: rejects exactly these characters
  if (/[\u0000-\u001f\u007f]/.test(path))
    throw refused(`Path ${quote(path)} contains a control character. Leave it out`);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const clean = `/${parts.join("/")}`;
  if (countCharacters(clean) > maxPathLength) {
    throw refused(`Path ${quote(path)} is too long: at most ${maxPathLength} characters. Use a shorter name`);
  }
  return clean;
}

/** Whether a path contains "..", plain or percent-encoded any number of times. */
function leadsUpwards(path: string): boolean {
  let form = path;
  for (;;) {
    if (form.split(/[/\\]/).some((part) => part.trim() === "..")) return true;
    const decoded = decode(form);
    if (decoded === form) return false;
    form = decoded;
  }
}

function decode(text: string): string {
  // One escape at a time: a stray % elsewhere must not stop the decoding.
  return text.replaceAll(/%(2e|2f|5c|25)/gi, (code) => decodeURIComponent(code));
}

function refused(message: string): HoldfastError {
  return new HoldfastError("invalid_input", `${message}.`, { data: { field: "path" } });
}
