import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionIdOf } from "../../src/hosts/session-link.ts";
import { columns, runCli, runDemo, writeNotepad } from "./run-cli.ts";
import { type Panel, stillTerminals } from "./terminal-svg.ts";

/** The pictures of the README that show a terminal, by file name, each made from a run of the program. */
export function terminalPictures(env: NodeJS.ProcessEnv = {}): Record<string, string> {
  return { "demo.svg": drawDemo(env), "after-clear.svg": drawAfterClear(env) };
}

/** `holdfast serve --demo`: a compaction, and the end. The agent loop, the store and the HTTP calls are real. */
function drawDemo(env: NodeJS.ProcessEnv): string {
  const output = runDemo(env).trimEnd().split("\n");
  const lineOf = (pattern: RegExp) => output.findIndex((line) => pattern.test(line));
  // A few steps before the first warning, and the first one after its compaction.
  const [from, to] = [lineOf(/⚠/) - 6, lineOf(/ retrievable, /) + 3];
  const panels: Panel[] = [
    {
      title: "holdfast serve --demo",
      lines: ["$ npx holdfast serve --demo", "…", ...output.slice(from, to)],
    },
    { title: "holdfast serve --demo, at the end", lines: output.slice(lineOf(/^agent ›/)) },
  ];
  return stillTerminals(panels, columns);
}

/** The text that the model reads when a conversation starts again after `/clear`, without and with Holdfast. */
function drawAfterClear(env: NodeJS.ProcessEnv): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-picture-"));
  try {
    mkdirSync(join(folder, ".git"));
    const event = (source: string) =>
      JSON.stringify({ session_id: "shop", cwd: folder, hook_event_name: "SessionStart", source });
    runCli(folder, ["hook", "claude-code"], event("startup"), env);
    runCli(folder, ["pin", "Never push to main"], undefined, env);
    const plan =
      "## Plan\n- [x] Tax table per country\n- [ ] Round totals per line, not per invoice\n- [ ] Migrate invoices since TKT-4711";
    writeNotepad(folder, sessionIdOf("claude-code", "shop"), plan, env);
    const answer = JSON.parse(runCli(folder, ["hook", "claude-code"], event("clear"), env)) as {
      hookSpecificOutput: { additionalContext: string };
    };
    const told = answer.hookSpecificOutput.additionalContext.trimEnd().split("\n").flatMap(wrap);
    const typed = ["$ claude", "> /clear", "> Carry on."];
    const panels: Panel[] = [
      {
        title: "without Holdfast",
        lines: [...typed, "", "(the conversation is empty)"],
      },
      { title: "with Holdfast", lines: [...typed, "", "(Holdfast adds, before your words:)", ...told] },
    ];
    return stillTerminals(panels, columns);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wrap(line: string): string[] {
  const lines = [""];
  for (const word of line.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
