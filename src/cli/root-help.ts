import { commandHelp } from "./command-help.ts";
import type { Command } from "./main.ts";

/** The commands by what someone wants to do. Every command is in one group; a test checks it. */
export const goals: Readonly<Record<string, readonly string[]>> = {
  Start: ["init", "rescue", "doctor", "config", "demo", "chat"],
  Look: ["serve", "sessions", "show", "log", "search"],
  Change: ["edit", "undo", "pin", "unpin", "project"],
  Keep: ["export", "import", "store", "trust", "forget", "uninstall"],
  Build: ["mcp", "hook"],
};

/** The help of `holdfast` itself. */
export function rootHelp(commands: Readonly<Record<string, Command>>): string {
  const grouped = new Set(Object.values(goals).flat());
  const rest = Object.keys(commands).filter((name) => !grouped.has(name));
  const groups = [...Object.entries(goals), ...(rest.length > 0 ? [["More", rest] as const] : [])];
  const sections = groups.map(([goal, names]) =>
    [
      goal,
      ...names.flatMap((name) => {
        const command = commands[name];
        return command ? [`  ${name.padEnd(13)}${commandHelp(command).summary}`] : [];
      }),
    ].join("\n"),
  );
  return `holdfast — working memory for AI agents that survives compaction

Usage: holdfast COMMAND [OPTIONS]

${sections.join("\n\n")}

Examples
  holdfast init                connect the coding agents of this project
  holdfast search "port 5432"  find it in every session, also in what a compaction removed

Options of every command
  --db PATH     the SQLite file (default: .holdfast/memory.db, or $HOLDFAST_DB)
  --store URL   any store: sqlite:PATH, jsonl:DIRECTORY, postgres://… (or $HOLDFAST_STORE)
  --json        print JSON
  --version     print the version

Run "holdfast help COMMAND" for the options of a command.`;
}
