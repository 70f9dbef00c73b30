import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initProject, openProject } from "../../src/surfaces/project/index.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { call, filler } from "../support/agent.ts";
import { type ChatEvidence, chatRun } from "./chat-run.ts";
import { type Entry, type Evidence, runIn, type Scenario } from "./run.ts";

type Kind = "search" | "file" | "tree" | "json" | "test" | "other";

/** Nothing is large enough to be cleared, and clearing costs nothing. */
const quiet = {
  "clearing.searchTokens": 1_000_000,
  "clearing.fileTokens": 1_000_000,
  "clearing.treeTokens": 1_000_000,
  "clearing.jsonTokens": 1_000_000,
  "clearing.testTokens": 1_000_000,
  "clearing.otherTokens": 1_000_000,
  "clearing.accumulatedTokens": 1_000_000,
  "clearing.sessionTokens": 1_000_000,
  "clearing.leastTokens": 0,
  "clearing.keepLast": 0,
  "clearing.cachedPrice": 1,
  "clearing.writePrice": 1,
  surfaces: ["notepad", "results"],
  contextWindow: 60_000,
};

/** Old files are cleared. */
const clears = { ...quiet, "clearing.fileTokens": 100 };

/** The calls of a conversation in a host: a result of each kind. */
const calls: Record<Kind, { tool: string; input: object; text: string }> = {
  search: { tool: "bash", input: { command: "grep -rn x ." }, text: filler(500) },
  file: { tool: "bash", input: { command: "cat a.txt" }, text: filler(500) },
  tree: { tool: "bash", input: { command: "tree src" }, text: filler(500) },
  json: { tool: "query", input: {}, text: JSON.stringify({ rows: filler(500) }) },
  test: { tool: "bash", input: { command: "npm test" }, text: filler(500) },
  other: { tool: "query", input: {}, text: filler(500) },
};

const isCleared = ({ entry, ...run }: Evidence): boolean => {
  if (entry === "chat")
    return "events" in run && (run as ChatEvidence).events.some(({ type }) => type === "clearing");
  const [report] = JSON.parse(run.output) as { rows: { clearing: boolean; tokens: object }[] }[];
  const of = (wanted: boolean) => report?.rows.filter(({ clearing }) => clearing === wanted);
  return (
    JSON.stringify(of(true)?.map(({ tokens }) => tokens)) !==
    JSON.stringify(of(false)?.map(({ tokens }) => tokens))
  );
};

function scenario(
  name: SettingName,
  entries: readonly Entry[],
  base: object,
  value: unknown,
  wanted: boolean,
) {
  const made: Scenario = {
    name,
    entries,
    base: { ...base },
    cases: () => ({ [name]: { value, seen: (run: Evidence) => isCleared(run) === wanted } }),
    run: (entry, root) => (entry === "chat" ? readInChat(root) : replayed(root)),
  };
  return made;
}

const both: readonly Entry[] = ["chat", "commands"];

/** Each threshold, in a chat that reads files and in the replay of a conversation with every kind of result. */
export const clearingSettings: readonly Scenario[] = [
  scenario("clearing.searchTokens", both, quiet, 100, true),
  scenario("clearing.fileTokens", both, quiet, 100, true),
  scenario("clearing.treeTokens", ["commands"], quiet, 100, true),
  scenario("clearing.jsonTokens", ["commands"], quiet, 100, true),
  scenario("clearing.testTokens", ["commands"], quiet, 100, true),
  scenario("clearing.otherTokens", ["commands"], quiet, 100, true),
  scenario("clearing.accumulatedTokens", both, quiet, 400, true),
  scenario("clearing.sessionTokens", both, quiet, 400, true),
  scenario("clearing.leastTokens", both, clears, 1_000_000, false),
  scenario("clearing.keepLast", both, clears, 100, false),
  scenario("clearing.exclude", both, clears, ["read_file", "bash"], false),
  scenario("clearing.cachedPrice", both, clears, 0, false),
  scenario("clearing.writePrice", both, clears, 1_000, false),
  scenario("clearing.enabled", ["chat"], clears, false, false),
];

/** What the agent noted of a long result is logged when the result is cleared. */
export const synthesisSettings: Scenario = {
  name: "synthesis",
  entries: ["chat"],
  base: { ...clears, "clearing.keepLast": 1, surfaces: ["notepad", "results", "project"] },
  cases: () => ({
    "project.synthesis": {
      value: true,
      seen: ({ read }) => /Synthesised/.test(read("grimoires/loa/NOTES.md")),
    },
  }),
  async run(_entry, root) {
    initProject(openProject({ root }));
    writeFileSync(join(root, "a.txt"), `${filler(500)}\nneedle\n`);
    const steps = [
      call("read_file", { path: "a.txt" }, "1"),
      call("write_notepad", { content: "a.txt: the needle is on the last line" }, "2"),
      call("read_file", { path: "a.txt", from_line: 2 }, "3"),
    ];
    return chatRun(root, {
      script: (_request, number) => {
        const step = steps[number];
        return step ? { toolCalls: [step] } : { text: "Read." };
      },
      input: ["Read it.", "Go on."],
    });
  },
};

function readInChat(root: string): Promise<ChatEvidence> {
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(root, name), `${filler(500)}\nneedle ${name}\n`);
  const steps = [
    [call("read_file", { path: "a.txt" }, "1"), call("search_files", { pattern: "e" }, "2")],
    [call("read_file", { path: "b.txt" }, "3"), call("search_files", { pattern: "a" }, "4")],
  ];
  return chatRun(root, {
    script: (_request, number) => {
      const toolCalls = steps[number];
      return toolCalls ? { toolCalls } : { text: "Read." };
    },
    input: ["Read them.", "Go on."],
  });
}

/** Replays a pi session in which each kind of result came up twice. */
function replayed(root: string): Promise<Evidence> {
  const lines: object[] = [{ type: "session", id: "s", timestamp: "2026-01-01T00:00:00Z" }];
  const say = (message: object) => lines.push({ type: "message", message });
  say({ role: "user", content: "Look around." });
  let prompt = 3_000;
  for (const round of ["first", "second"]) {
    for (const [kind, { tool, input, text }] of Object.entries(calls)) {
      const id = `${round}-${kind}`;
      const usage = { input: 0, cacheRead: prompt, cacheWrite: 600, output: 50 };
      const content = [{ type: "toolCall", id, name: tool, arguments: input }];
      say({ role: "assistant", model: "claude-opus-4-5", content, usage });
      say({ role: "toolResult", toolCallId: id, toolName: tool, content: [{ type: "text", text }] });
      prompt += 600;
    }
  }
  const usage = { input: 0, cacheRead: prompt, cacheWrite: 600, output: 50 };
  say({ role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text: "Done." }], usage });
  writeFileSync(join(root, "session.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return runIn("commands", root, { commands: [["replay", "session.jsonl", "--json"]] });
}
