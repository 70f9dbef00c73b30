import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { day } from "../../src/engine/retention.ts";
import { openMemory, surfaceNames } from "../../src/index.ts";
import { hashPiece } from "../../src/sessions/call-log.ts";
import { findProject } from "../../src/workspace/project.ts";
import { hook } from "../support/hook.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { chatRun } from "./chat-run.ts";
import { type Entry, type Evidence, entries, evidenceOf, runIn, type Scenario } from "./run.ts";

/** A store with something old for each rule. It is made once and copied. */
let made: Promise<string> | undefined;

async function makeAged(): Promise<string> {
  const store = join(temporaryDirectory(), "memory.db");
  const now = Date.now();
  let age = 10 * day;
  const memory = await openMemory({
    store,
    surfaces: surfaceNames,
    clock: () => now - age,
  });
  const old = await memory.createSession({ id: "old" });
  for (const text of ["a", "b", "c"]) await old.notes.add(text);
  const record = async (id: string, text: string) => {
    const piece = { part: "history", role: "user", text } as const;
    const pieces = [{ ...piece, tokens: 1, hash: await hashPiece(piece) }];
    await (await memory.openSession(id)).calls.record(pieces, {}, now - age);
  };
  for (const text of ["x", "y"]) await record("old-calls", text);
  await (await memory.createSession({ id: "gone" })).apply({ type: "session.status", status: "deleted" });
  await (await memory.createSession({ id: "laid-aside" })).apply({
    type: "session.status",
    status: "archived",
  });
  age = 2 * day;
  const busy = await memory.createSession({ id: "busy" });
  for (let count = 0; count < 12; count++) await busy.notes.add(`note ${count}`);
  for (let count = 0; count < 12; count++) await record("busy-calls", `call ${count}`);
  age = 0;
  for (const id of ["old", "busy"]) await (await memory.openSession(id)).notes.add("now");
  for (const id of ["old-calls", "busy-calls"]) await record(id, "now");
  await memory.close();
  return store;
}

interface Left {
  oldEntries: number;
  busyEntries: number;
  oldCalls: number;
  busyCalls: number;
  sessions: string[];
}

/** The contents of the store after a run. */
function leftIn({ inMemory }: Evidence): Promise<Left> {
  return inMemory(async (memory) => {
    const entriesOf = async (id: string) => (await (await memory.resumeSession(id)).history()).length;
    const callsOf = async (id: string) => (await (await memory.resumeSession(id)).calls.list()).length;
    const listed = [
      ...(await memory.listSessions({ status: "all" })),
      ...(await memory.listSessions({ status: "deleted" })),
    ];
    return {
      oldEntries: await entriesOf("old"),
      busyEntries: await entriesOf("busy"),
      oldCalls: await callsOf("old-calls"),
      busyCalls: await callsOf("busy-calls"),
      sessions: listed.map(({ id }) => id),
    };
  });
}

async function runAged(entry: Entry, root: string): Promise<Evidence> {
  made ??= makeAged();
  const directory = findProject(root).directory;
  mkdirSync(directory, { recursive: true });
  const database = join(directory, "memory.db");
  copyFileSync(await made, database);
  if (entry === "hook") {
    const event = { hook_event_name: "SessionStart", source: "startup", session_id: "s" };
    // Each start of a conversation does a step.
    for (let starts = 0; starts < 3; starts++)
      await hook({ root, directory, database }, "claude-code", event);
    return evidenceOf(entry, root, {});
  }
  if (entry === "chat")
    return chatRun(root, { script: () => ({ text: "Done." }), input: ["Go."], sweeps: true });
  return runIn(entry, root, { calls: [{ name: "read_notepad", input: {} }], sweeps: true });
}

/** The retention of a store, in each entry point. */
export const retentionSettings: Scenario = {
  name: "retention",
  entries: entries.filter((entry) => entry !== "commands"),
  base: { surfaces: ["notepad"] },
  cases: () => ({
    retention: {
      value: 5,
      seen: async (run) => {
        const { oldEntries, oldCalls, sessions } = await leftIn(run);
        return oldEntries < 4 && oldCalls < 3 && !sessions.includes("gone");
      },
    },
  }),
  run: runAged,
};
