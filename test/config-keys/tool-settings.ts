import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeCorpus } from "../../src/secrets/test-support/corpus.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { chatRun } from "./chat-run.ts";
import { type Case, type Evidence, runIn, type Scenario, type ToolCall } from "./run.ts";

export const secret = makeCorpus(7).secrets[0]?.[1] ?? "";

interface ToolCase {
  value: unknown;
  calls: ToolCall[];
  /** In the answer to the last call. */
  answer: RegExp;
}

const call = (name: string, input: Record<string, unknown> = {}): ToolCall => ({ name, input });
const letters = (count: number) => "x".repeat(count);
const pad = (action: string, input: object) => call("session_scratchpad", { action, ...input });

/** Calls that meet a limit. The values are small, and the calls just above them. */
const limits: Partial<Record<SettingName, ToolCase>> = {
  "limits.notepadCharacters": {
    value: 300,
    calls: [call("write_notepad", { content: letters(301) })],
    answer: /the limit is 300/,
  },
  "limits.noteCharacters": {
    value: 61,
    calls: [call("add_note", { content: letters(62) })],
    answer: /\b61 characters/,
  },
  "limits.noteTags": {
    value: 2,
    calls: [call("add_note", { content: "tags", tags: ["a", "b", "c"] })],
    answer: /max 2, got 3/,
  },
  "limits.spaceNotesCharacters": {
    value: 62,
    calls: [pad("set_notes", { content: letters(63) })],
    answer: /\b62\b/,
  },
  "limits.spacePlanCharacters": {
    value: 63,
    calls: [pad("set_plan", { content: letters(64) })],
    answer: /\b63\b/,
  },
  "limits.refs": { value: 2, calls: [pad("refs.set", { items: ["a", "b", "c"] })], answer: /\b2\b/ },
  "limits.pinBytes": { value: 41, calls: [call("pin", { text: letters(42) })], answer: /\b41\b/ },
};

/** It caps all spaces together, so the other limits of the scratchpad are seen without it. */
const budget: Partial<Record<SettingName, ToolCase>> = {
  "scratchpad.maxTokens": {
    value: 5,
    calls: [pad("set_notes", { content: "a plan of many words, too long for five tokens" })],
    answer: /truncated to 5 tokens/,
  },
};

const others: Partial<Record<SettingName, ToolCase>> = {
  skills: { value: ["my-skills"], calls: [call("list_skills")], answer: /audit/ },
  "project.beads": {
    value: false,
    calls: [call("log_entry", { kind: "debt", text: "N+1 query", severity: "HIGH", actionable: true })],
    answer: /Beads is turned off/,
  },
};

/** The last call: a chat stores what the model said, so a refused secret ends the turn there. */
const writeSecret = call("write_notepad", { content: `key ${secret}` });
const refused = /Nothing was changed: secrets are not stored here/;

/** Settings that are seen in files, or in all that was said. */
const elsewhere: Partial<Record<SettingName, Case>> = {
  store: { value: "kept.db", seen: ({ root }) => existsSync(join(root, "kept.db")) },
  secrets: {
    value: "refuse",
    seen: ({ answers, output }) => refused.test([...answers, output].join("\n")),
  },
  "project.file": { value: "docs/NOTES.md", seen: ({ read }) => /Ship it/.test(read("docs/NOTES.md")) },
};

/** Calls through the tools of every entry point that has tools. */
function callingTools(
  name: string,
  toolCases: Partial<Record<SettingName, ToolCase>>,
  otherCases: Partial<Record<SettingName, Case>>,
): Scenario {
  return {
    name,
    entries: ["chat", "mcp", "serve", "pi", "openclaw"],
    base: {
      surfaces: ["notepad", "notes", "pins", "scratchpad", "knowledge", "project", "sandbox"],
    },
    cases() {
      const cases = { ...otherCases };
      let index = 1;
      for (const [setting, { value, calls, answer }] of Object.entries(toolCases)) {
        index += calls.length;
        const at = index - 1;
        cases[setting as SettingName] = { value, seen: ({ answers }) => answer.test(answers[at] ?? "") };
      }
      return cases;
    },
    async run(entry, root) {
      mkdirSync(join(root, "my-skills/audit"), { recursive: true });
      const text = "---\nname: audit\ndescription: How to audit\n---\nCount twice.\n";
      writeFileSync(join(root, "my-skills/audit/SKILL.md"), text);
      const calls = [
        call("log_entry", { kind: "goal", text: "Ship it" }),
        ...Object.values(toolCases).flatMap((each) => each.calls),
        writeSecret,
      ];
      const env = { PATH: trackerPath() };
      if (entry === "chat") return callsInChat(root, calls, env);
      if (entry === "hook" || entry === "commands") throw new Error(`${entry} has no tools`);
      return runIn(entry, root, { calls, env });
    },
  };
}

/** The limits of every surface. */
export const toolSettings: readonly Scenario[] = [
  callingTools("tools", { ...limits, ...others }, elsewhere),
  callingTools("scratchpad budget", budget, {}),
];

/** One turn in which the model makes all calls, the last one by itself. */
async function callsInChat(
  root: string,
  calls: readonly ToolCall[],
  env: Record<string, string>,
): Promise<Evidence> {
  const toolCalls = calls.map((each, index) => ({ id: `c${index}`, ...each }));
  const run = await chatRun(root, {
    script: (_request, number) =>
      [{ toolCalls: toolCalls.slice(0, -1) }, { toolCalls: toolCalls.slice(-1) }][number] ?? {
        text: "Done.",
      },
    input: ["Call them."],
    args: ["--set", "contextWindow=200000"],
    env,
  });
  const results = new Map(
    run.events.flatMap((event) => (event.type === "tool-result" ? [[event.id, event]] : [])),
  );
  return { ...run, answers: toolCalls.map(({ id }) => JSON.stringify(results.get(id) ?? "")) };
}

/** A PATH with a tracker for debt. */
export function trackerPath(): string {
  const directory = temporaryDirectory();
  const path = join(directory, "bd");
  writeFileSync(path, `#!${process.execPath}\nconsole.log(JSON.stringify({ id: "bd-7" }))\n`);
  chmodSync(path, 0o755);
  return `${directory}${delimiter}${process.env.PATH}`;
}

const offers = (name: string) => (run: Evidence) => offeredIn(run).includes(name);

function offeredIn({ tools, requests }: Evidence): readonly string[] {
  return requests[0] ? (requests[0].tools ?? []).map((each) => each.function.name) : tools;
}

/** The choice of surfaces. A plugin has the scratchpad by default, the others do not. */
export const surfaceSettings: Scenario = {
  name: "surfaces",
  entries: ["chat", "mcp", "serve", "pi", "openclaw"],
  cases: (entry) =>
    entry === "pi" || entry === "openclaw"
      ? {
          surfaces: { value: ["tasks", "scratchpad"], seen: offers("begin_task") },
          "scratchpad.enabled": {
            value: false,
            seen: (run) => !offeredIn(run).includes("session_scratchpad"),
          },
        }
      : {
          surfaces: { value: ["knowledge"], seen: offers("list_skills") },
          "scratchpad.enabled": { value: true, seen: offers("session_scratchpad") },
        },
  async run(entry, root) {
    if (entry === "chat") return chatRun(root, { script: () => ({ text: "Done." }), input: ["Go."] });
    if (entry === "hook" || entry === "commands") throw new Error(`${entry} has no tools`);
    return runIn(entry, root);
  },
};
