import { readFileSync } from "node:fs";
import type { FileLocation, Piece } from "../install/piece.ts";
import { addTopLine, readToml, removeTopLine } from "../install/toml-text.ts";

const key = "mcp_optional_startup_grace_ms";

/** With a comment, so that a user's own setting is never taken for ours. */
const line = `${key} = 5000 # Holdfast: the first request waits for the memory tools, at most this long`;

/**
 * How long the first request of a conversation waits for servers. After Codex's default of one second it goes out without
 * their tools, so on a busy machine nothing could be written in it. A server that fails ends the wait, and the
 * conversation continues without it. A user's own value stays, here or in the `userFile`.
 */
export function startupGrace(location: FileLocation, userFile: string): Piece {
  const { path: file } = location;
  const isDecided = (text: string) => key in readToml(text, file) || isSetIn(userFile);
  return {
    ...location,
    what: "wait for servers",
    add: (text) => (isDecided(text) ? text : addTopLine(text, line)),
    remove: (text, before) => (before.includes(line) ? text : removeTopLine(text, line)),
    isIn: (text) => text.includes(line),
    gaps: (text) => (isDecided(text) ? [] : [{ what: key, kind: "missing" }]),
  };
}

function isSetIn(file: string): boolean {
  try {
    return key in readToml(readFileSync(file, "utf8"), file);
  } catch {
    // There is none, or one that Codex itself rejects.
    return false;
  }
}
