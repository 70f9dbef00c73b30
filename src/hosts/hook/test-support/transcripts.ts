import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookProject } from "../../../../test/support/hook.ts";

/** JSON lines. */
export function lines(...values: unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

export const said = (uuid: string, content: unknown) => ({
  type: "user",
  uuid,
  sessionId: "s1",
  isSidechain: false,
  message: { role: "user", content },
});
export const answered = (uuid: string, content: unknown) => ({
  type: "assistant",
  uuid,
  sessionId: "s1",
  isSidechain: false,
  message: { role: "assistant", content },
});

/** A small conversation in Claude Code's transcript format. */
export function claudeTranscript(project: HookProject): string {
  const path = join(project.root, "transcript.jsonl");
  writeFileSync(
    path,
    lines(
      said("1", "Make src/parser.ts accept tabs, see TKT-4711"),
      answered("2", [{ type: "tool_use", id: "c1", name: "Edit", input: { file_path: "/p/src/parser.ts" } }]),
      said("3", [{ type: "tool_result", tool_use_id: "c1", content: "done" }]),
      answered("4", [{ type: "tool_use", id: "c2", name: "Bash", input: { command: "npm run lint" } }]),
      said("5", [{ type: "tool_result", tool_use_id: "c2", is_error: true, content: "Exit code 1" }]),
      { ...said("6", "a sub-agent's own request"), isSidechain: true },
      said("7", "<command-name>/cost</command-name>"),
    ),
  );
  return path;
}

export function codexTranscript(project: HookProject): string {
  const path = join(project.root, "rollout.jsonl");
  const item = (payload: unknown) => ({ timestamp: "2026-10-05T09:00:00Z", type: "response_item", payload });
  const message = (role: string, text: string) =>
    item({ type: "message", role, content: [{ type: "input_text", text }] });
  writeFileSync(
    path,
    lines(
      { timestamp: "2026-10-05T09:00:00Z", type: "session_meta", payload: { id: "s1", cwd: "/p" } },
      message("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
      message("user", "Rename the flag in cmd/main.go, issue TKT-4711"),
      item({
        type: "custom_tool_call",
        name: "apply_patch",
        call_id: "c1",
        input: "*** Begin Patch\n*** Update File: cmd/main.go\n@@\n*** End Patch",
      }),
      item({
        type: "custom_tool_call_output",
        call_id: "c1",
        output: '{"output":"ok","metadata":{"exit_code":0}}',
      }),
      item({
        type: "function_call",
        name: "shell",
        call_id: "c2",
        arguments: JSON.stringify({ command: ["bash", "-lc", "go vet ./..."] }),
      }),
      item({
        type: "function_call_output",
        call_id: "c2",
        output: '{"output":"no","metadata":{"exit_code":2}}',
      }),
    ),
  );
  return path;
}

/** A Gemini CLI chat with one call. Each message with calls is written again when they have run. */
export function geminiTranscript(project: HookProject): string {
  const path = join(project.root, "chat.jsonl");
  const prompt = { text: "Port lib to Python 3" };
  const injected = { text: "<hook_context>[Holdfast] Your working memory</hook_context>" };
  const answer = { id: "g1", type: "gemini", content: "", tokens: { input: 9_000, output: 5, total: 9_005 } };
  const toolCalls = [{ id: "c1", name: "write_file", args: { file_path: "lib/part.py" }, status: "success" }];
  writeFileSync(
    path,
    lines(
      { sessionId: "s1", projectHash: "x" },
      { id: "u1", type: "user", content: [prompt, injected] },
      answer,
      { $set: { lastUpdated: "2026-11-17T06:40:02.984Z" } },
      { ...answer, toolCalls },
    ),
  );
  return path;
}
