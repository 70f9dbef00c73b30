import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NudgeName } from "../../src/compaction/nudges.ts";
import { findProject } from "../../src/workspace/project.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { isSummaryRequest } from "../support/agent.ts";
import { hook } from "../support/hook.ts";
import { chatRun } from "./chat-run.ts";
import {
  type Case,
  type Entry,
  type Evidence,
  evidenceOf,
  runIn,
  type Scenario,
  sessionOf,
  type Turn,
} from "./run.ts";

const write = { name: "write_notepad", input: { content: "what was decided" } };

/** A conversation in which each hint is due once. */
const turns: readonly Turn[] = [
  { user: "Never push to main.", agent: "The plan:\n1. Count\n2. Sort\n3. Report" },
  { user: "Always run the linter before you commit anything.", agent: "I have noted that." },
  { user: "Never use npm for this project.", agent: "Good." },
  { user: "Write it down.", agent: "It is there.", write },
  { user: "And now?", agent: "Next." },
  { user: "Go on.", agent: "Next." },
  { user: "Go on.", agent: "Next." },
  { user: "Go on.", agent: "Next.", isCompacted: true },
];

const hints: Record<NudgeName, { value: number; text: string }> = {
  nudgeOnPlanDetected: { value: 1, text: "You have written down a plan." },
  nudgeAfterTurns: { value: 3, text: "Your session memory is still empty." },
  nudgeTurnsSinceLastUse: { value: 2, text: "has not been updated for a while" },
  nudgeAfterCompaction: { value: 1, text: "The context has just been compacted." },
};

/** Hints to the agent. */
export const turnSettings: Scenario = {
  name: "turns",
  entries: ["chat", "hook", "pi", "openclaw"],
  base: { surfaces: ["notepad", "pins"] },
  cases() {
    const cases: Partial<Record<SettingName, Case>> = {};
    for (const name of Object.keys(hints) as NudgeName[]) {
      const { value, text } = hints[name];
      cases[`scratchpad.${name}`] = { value, seen: ({ shown }) => shown.join("\n").includes(text) };
    }
    return cases;
  },
  async run(entry: Entry, root: string) {
    if (entry === "chat") return inChat(root);
    if (entry === "hook") return inHook(root);
    if (entry !== "pi" && entry !== "openclaw") throw new Error(`${entry} takes part in no turn`);
    return runIn(entry, root, { turns: [...turns] });
  },
};

/** Whether the next context gets a handoff. */
export const handoffSettings: Scenario = {
  ...turnSettings,
  name: "handoff",
  cases: () => ({
    handoff: { value: false, seen: ({ shown }) => !shown.join("\n").includes("[Handoff: ") },
  }),
};

/** With `message`, the whole notepad stands before each message; otherwise a prompt shows it once after a write. */
export const placementSettings: Scenario = {
  ...turnSettings,
  name: "placement",
  entries: ["hook", "pi", "openclaw"],
  base: { surfaces: ["notepad"] },
  cases: (entry) => ({
    placement: {
      value: "message",
      seen: ({ shown }) => {
        const text = shown.slice(0, -1).join("\n");
        if (entry === "hook") return text.split(write.input.content).length > 3;
        return text.includes(secondPlan) && !text.includes("[Notepad, full and current");
      },
    },
  }),
  async run(entry, root) {
    if (entry === "hook") return inHook(root);
    if (entry !== "pi" && entry !== "openclaw") throw new Error(`${entry} places no memory`);
    const again = { ...write, input: { content: secondPlan } };
    const second = { user: "Write it down again.", agent: "It is there.", write: again };
    return runIn(entry, root, { turns: [...turns.slice(0, -2), second, ...turns.slice(-2)] });
  },
};

const secondPlan = "what was decided later";

async function inChat(root: string): Promise<Evidence> {
  let turn = -1;
  const run = await chatRun(root, {
    script: (request) => {
      if (isSummaryRequest(request)) return { text: "A summary of what was said before." };
      const isNew = request.messages.at(-1)?.role === "user";
      if (isNew) turn++;
      const { agent = "", write: written } = turns[turn] ?? {};
      return isNew && written ? { toolCalls: [{ id: "w", ...written }] } : { text: agent };
    },
    input: turns.flatMap(({ user, isCompacted }) => (isCompacted ? ["/compact", user] : [user])),
    args: ["--set", "contextWindow=60000", "--set", "keep=0"],
  });
  return { ...run, shown: run.requests.map((request) => JSON.stringify(request)) };
}

async function inHook(root: string): Promise<Evidence> {
  const directory = findProject(root).directory;
  mkdirSync(directory, { recursive: true });
  const project = { root, directory, database: join(directory, "memory.db") };
  const transcript_path = join(root, "transcript.jsonl");
  const lines: string[] = [];
  const say = (type: "user" | "assistant", content: string) => {
    const uuid = `m${lines.length}`;
    lines.push(JSON.stringify({ type, uuid, message: { role: type, content } }));
    writeFileSync(transcript_path, `${lines.join("\n")}\n`);
  };
  const shown: string[] = [];
  const send = async (hook_event_name: string, more: object = {}) => {
    const event = { session_id: "s", transcript_path, hook_event_name, ...more };
    shown.push((await hook(project, "claude-code", event)).context);
  };
  const evidence = evidenceOf("hook", root, { shown });
  await send("SessionStart", { source: "startup" });
  for (const { user, agent, write: written, isCompacted } of turns) {
    if (isCompacted) {
      await send("PreCompact", { trigger: "auto" });
      await send("SessionStart", { source: "compact" });
    }
    say("user", user);
    await send("UserPromptSubmit", { prompt: user });
    if (written)
      await evidence.inMemory(async (memory) =>
        (await sessionOf(memory, "hook")).call(written.name, written.input),
      );
    say("assistant", agent);
    await send("Stop", { last_assistant_message: agent });
  }
  return evidence;
}
