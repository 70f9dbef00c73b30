import assert from "node:assert/strict";
import type { Session } from "../../../index.ts";
import { runMemoryCommand } from "../memory-tool.ts";

export type Command = { command: string; [field: string]: unknown };

export async function run(session: Session, command: Command): Promise<string> {
  const answer = await runMemoryCommand(session, command);
  return answer.ok ? answer.text : `Error: ${answer.text}`;
}

export async function refused(session: Session, command: Command): Promise<string> {
  const { row } = await session.state();
  const answer = await runMemoryCommand(session, command);
  assert.ok(!answer.ok, `accepted: ${answer.text}`);
  assert.equal((await session.state()).row.revision, row.revision, "a refused command changed something");
  return answer.text;
}

export const create = (path: string, file_text: string) => ({ command: "create", path, file_text });
export const view = (path: string, view_range?: number[]) => ({
  command: "view",
  path,
  ...(view_range ? { view_range } : {}),
});
export const rename = (old_path: string, new_path: string) => ({ command: "rename", old_path, new_path });
export const replace = (path: string, old_str: string, new_str: string) => ({
  command: "str_replace",
  path,
  old_str,
  new_str,
});
export const insert = (path: string, insert_line: number, insert_text: string) => ({
  command: "insert",
  path,
  insert_line,
  insert_text,
});
export const remove = (path: string) => ({ command: "delete", path });

/** A file as the tool shows it, without line numbers. */
export async function read(session: Session, path: string): Promise<string> {
  const shown = await run(session, view(path));
  const [heading, ...lines] = shown.split("\n");
  assert.equal(heading, `Here's the content of ${path} with line numbers:`);
  return lines.map((line) => line.slice(line.indexOf("\t") + 1)).join("\n");
}
