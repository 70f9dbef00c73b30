import { join } from "node:path";
import { objectIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import { type Fill, lessReserve } from "../context-fill.ts";
import { injectContext } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { readSettings } from "../transcript/json-files.ts";
import { claudeRecording, readClaudeLine, readClaudeUsage } from "./transcript.ts";

const putOff = JSON.stringify({ decision: "block", reason: "The agent saves its notes first." });

export const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  userFolder: (env) => env.CLAUDE_CONFIG_DIR || join(homeFolder(env), ".claude"),
  projectVariable: "CLAUDE_PROJECT_DIR",
  events: {
    SessionStart: "session-start",
    UserPromptSubmit: "prompt",
    PreCompact: "before-compaction",
    PostCompact: "after-compaction",
    PreToolUse: "memory-call",
    SubagentStart: "sub-agent",
    PostToolBatch: "after-tool",
    Stop: "turn-end",
    SessionEnd: "end",
  },
  inServer: {
    UserPromptSubmit: ["prompt"],
    PreToolUse: ["agent_id", "tool_use_id"],
    SubagentStart: ["agent_id"],
    PostToolBatch: ["agent_id", "tool_calls"],
    Stop: ["last_assistant_message", "stop_hook_active"],
  },
  /** The summarizer takes plain text; after a compaction Claude Code accepts nothing. */
  formatAnswer(event, { context = "", keep = "", notice, isPutOff }) {
    if (event.kind === "before-compaction") return isPutOff ? putOff : keep;
    return context !== "" && event.kind !== "after-compaction" ? injectContext(event, context, notice) : "";
  },
  emptyAnswer: "",
  transcript: { readLine: readClaudeLine, readUsage: readClaudeUsage },
  transcriptFolder: (env) => join(claudeCode.userFolder(env), "projects"),
  compaction: {
    restartsSession: true,
    limit: claudeLimit,
    putOffRoom: 10_000,
    warnsAtTurnEnd: true,
  },
  isServerDeclined,
  mcpClient: {
    name: /^claude-code$/,
    call: (meta) => textIn(meta["claudecode/toolUseId"]),
  },
  recording: async () => claudeRecording,
  setup: async () => (await import("./setup.ts")).claudeCodeSetup,
};

/** 20,000 for the summary and 13,000 for what comes before it. */
const reserve = 33_000;

/**
 * The tokens at which Claude Code compacts. Its settings and environment may set a window for that; otherwise it is the
 * model's.
 *
 * @example claudeLimit({ model: "claude-opus-4-5", tokens: 90_000 }, root); // 167_000
 */
function claudeLimit(fill: Fill, root: string, env: NodeJS.ProcessEnv = process.env): number {
  const own = modelWindow(fill, env);
  const chosen =
    Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW) || windowInSettings(fill.model, root, env) || own;
  return lessReserve(Math.min(chosen, own), reserve);
}

/** Models up to 4.6 have 200,000 tokens, unless they are run with a longer window; later ones have 1,000,000. */
function modelWindow({ model, tokens }: Fill, env: NodeJS.ProcessEnv): number {
  if (tokens > 200_000 || /\[1m\]/i.test(env.ANTHROPIC_MODEL ?? "")) return 1_000_000;
  if (env.CLAUDE_CODE_DISABLE_1M_CONTEXT) return 200_000;
  const isLong = /claude-(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9])(?!\d)|claude-(?:fable|mythos)/.test(model);
  return isLong ? 1_000_000 : 200_000;
}

/** The nearest settings file that sets a window decides; in one file, the model's window comes before that of all models. */
function windowInSettings(model: string, root: string, env: NodeJS.ProcessEnv): number | undefined {
  for (const file of settingsFiles(root, env)) {
    const settings = readSettings(file);
    const ofModel = Object.entries(objectIn(settings.modelSettings)).find(([name]) => model.startsWith(name));
    const window = objectIn(ofModel?.[1]).autoCompactWindow ?? settings.autoCompactWindow;
    if (typeof window === "number") return window;
  }
  return undefined;
}

/** The nearest comes first. */
export function settingsFiles(root: string, env: NodeJS.ProcessEnv): string[] {
  return [
    join(root, ".claude/settings.local.json"),
    join(root, ".claude/settings.json"),
    join(claudeCode.userFolder(env), "settings.json"),
  ];
}

/** Servers for all projects, and the user's decisions about each project. */
export function userSettings(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR || homeFolder(env), ".claude.json");
}

/** In the dialog for the project's servers, or with /mcp. */
function isServerDeclined(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const own = readSettings(userSettings(env));
  const project = objectIn(objectIn(own.projects)[root]);
  const names = [project, ...settingsFiles(root, env).map(readSettings)].map(
    ({ disabledMcpjsonServers }) => disabledMcpjsonServers,
  );
  return [project.disabledMcpServers, ...names].some(
    (list) => Array.isArray(list) && list.includes("holdfast"),
  );
}
