import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initProject, openProject } from "../../src/surfaces/project/index.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { call, filler } from "../support/agent.ts";
import { type ChatEvidence, chatRun } from "./chat-run.ts";
import type { Evidence, Scenario } from "./run.ts";

/** Nothing is large enough to be cleared, and clearing costs nothing. */
const quiet = {
  "clearing.searchTokens": 1_000_000,
  "clearing.fileTokens": 1_000_000,
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

const isCleared = (run: Evidence): boolean =>
  "events" in run && (run as ChatEvidence).events.some(({ type }) => type === "clearing");

function scenario(name: SettingName, base: object, value: unknown, wanted: boolean) {
  const made: Scenario = {
    name,
    entries: ["chat"],
    base: { ...base },
    cases: () => ({ [name]: { value, seen: (run: Evidence) => isCleared(run) === wanted } }),
    run: (_entry, root) => readInChat(root),
  };
  return made;
}

/** Each threshold, in a chat that reads and searches files. */
export const clearingSettings: readonly Scenario[] = [
  scenario("clearing.searchTokens", quiet, 100, true),
  scenario("clearing.fileTokens", quiet, 100, true),
  scenario("clearing.accumulatedTokens", quiet, 400, true),
  scenario("clearing.sessionTokens", quiet, 400, true),
  scenario("clearing.leastTokens", clears, 1_000_000, false),
  scenario("clearing.keepLast", clears, 100, false),
  scenario("clearing.exclude", clears, ["read_file", "bash"], false),
  scenario("clearing.cachedPrice", clears, 0, false),
  scenario("clearing.writePrice", clears, 1_000, false),
  scenario("clearing.enabled", clears, false, false),
];

/** What the agent noted of a long result is logged when the result is cleared. */
export const synthesisSettings: Scenario = {
  name: "synthesis",
  entries: ["chat"],
  base: { ...clears, "clearing.keepLast": 1, surfaces: ["notepad", "results", "project"] },
  cases: () => ({
    "project.synthesis": { value: true, seen: ({ read }) => /Synthesised/.test(read(".holdfast/NOTES.md")) },
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
