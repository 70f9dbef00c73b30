import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warningText } from "../../src/compaction/warning.ts";
import { sessionIdOf } from "../../src/hosts/session-link.ts";
import { runCli, writeNotepad } from "./run-cli.ts";

const plan = "## Plan\n- [x] Find the rounding\n- [ ] Use the decimals of the currency";

/** A short conversation, as Claude Code records it. */
const conversation: [role: "user" | "assistant", content: unknown][] = [
  ["user", "Yen totals are wrong at checkout. Find out why. Do not touch the tax code."],
  ["assistant", [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test -- checkout" } }]],
  [
    "user",
    [
      {
        type: "tool_result",
        tool_use_id: "t1",
        is_error: true,
        content: "Exit code 1\n1 failing\ncheckout > yen\nError: expected 1250 to equal 1251",
      },
    ],
  ],
  ["assistant", [{ type: "text", text: "money.ts rounds to two decimals. Yen has none." }]],
];

/** The texts that the model of a coding agent reads, by name, from a run of the hooks of Claude Code. */
export function injectedTexts(env: NodeJS.ProcessEnv = {}): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-texts-"));
  try {
    mkdirSync(join(folder, ".git"));
    const transcript = join(folder, "transcript.jsonl");
    writeFileSync(transcript, conversation.map(lineOf).join(""));
    const hook = (name: string, source: Record<string, string>) => {
      const event = { session_id: "shop", cwd: folder, transcript_path: transcript, hook_event_name: name };
      return runCli(folder, ["hook", "claude-code"], JSON.stringify({ ...event, ...source }), env);
    };
    const start = hook("SessionStart", { source: "startup" });
    runCli(folder, ["pin", "Never push to main"], undefined, env);
    writeNotepad(folder, sessionIdOf("claude-code", "shop"), plan, env);
    const summariser = hook("PreCompact", { trigger: "auto" });
    const after = hook("SessionStart", { source: "compact" });
    return {
      start: contextOf(start),
      warning: warningText,
      summarizer: summariser.trimEnd(),
      "after a compaction": contextOf(after),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf([role, content]: (typeof conversation)[number], index: number): string {
  const parent = index === 0 ? null : `m${index - 1}`;
  const timestamp = new Date(Date.UTC(2026, 10, 18, 9, index)).toISOString();
  const ids = { uuid: `m${index}`, parentUuid: parent, sessionId: "shop", timestamp };
  return `${JSON.stringify({ type: role, ...ids, message: { role, content } })}\n`;
}

function contextOf(answer: string): string {
  const { hookSpecificOutput } = JSON.parse(answer) as { hookSpecificOutput: { additionalContext: string } };
  return hookSpecificOutput.additionalContext.trimEnd();
}

/** The page with each block behind `<!-- the model reads: NAME -->` replaced. */
export function withInjectedTexts(page: string, texts: Readonly<Record<string, string>>): string {
  return page.replaceAll(
    /<!-- the model reads: (.+) -->\n\n```text\n[\s\S]*?```/g,
    (_, name: string) =>
      `<!-- the model reads: ${name} -->\n\n\`\`\`text\n${texts[name] ?? `There is no text called ${name}.`}\n\`\`\``,
  );
}
