import { countCharacters, oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import { readBinding, writeBinding } from "../../workspace/binding.ts";
import { makeProjectDirectory, type Project } from "../../workspace/project.ts";
import { openQuarantined } from "../../workspace/quarantined-memory.ts";
import { type Quarantine, quarantined } from "../../workspace/trust.ts";
import { findWorkspace, type Workspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { counted } from "../terminal/quantities.ts";
import { visibleText } from "../terminal/visible-text.ts";

interface FoundSession {
  store: string;
  session: string;
  notes: number;
  characters: number;
  start: string;
}

/** Shows memory that came with the project and is not used; `--yes` accepts it. */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments(args, { yes: { type: "boolean", default: false } });
  const workspace = findWorkspace();
  const { quarantine } = workspace.project;
  const sessions = quarantine ? await show(quarantine, values.json) : [];
  const { problem } = workspace.store;
  if (!values.json && problem !== undefined) console.log(visibleText(problem));
  if (!quarantine && problem === undefined) {
    if (values.json) console.log(JSON.stringify({ quarantine: null, accepted: false, sessions: [] }));
    else console.log(`Nothing is quarantined: the memory of ${workspace.project.root} is your own.`);
    return 0;
  }
  if (values.yes) accept(workspace);
  if (values.json) {
    const reason = quarantine?.reason ?? "config";
    console.log(JSON.stringify({ quarantine: reason, accepted: values.yes, sessions }, null, 2));
  } else printNext(workspace.project, values.yes);
  return 0;
}

function accept({ project, config, store }: Workspace): void {
  const { quarantine, directory } = project;
  if (quarantine && !quarantine.acceptable) throw quarantined(quarantine);
  if (quarantine?.acceptable) {
    writeBinding(quarantine.directory, quarantine.acceptable);
    return;
  }
  makeProjectDirectory(directory);
  const accepted = readBinding(directory)?.accepted ?? {};
  if (store.problem !== undefined) writeBinding(directory, { accepted, store: config.store });
}

function printNext({ quarantine, directory }: Project, isAccepted: boolean): void {
  if (isAccepted) {
    console.log("Accepted. Agents in this project are shown it from now on.");
    if (quarantine) console.log(`Notes taken meanwhile are in ${directory}; name it with --db to read them.`);
    return;
  }
  console.log(`\nAccept all of it:      holdfast trust --yes`);
  if (quarantine) console.log(`Take single sessions:  holdfast import --quarantined SESSION`);
}

async function show(quarantine: Quarantine, isQuiet: boolean): Promise<FoundSession[]> {
  const found = await openQuarantined(quarantine);
  try {
    const sessions: FoundSession[] = [];
    for (const { name, memory } of found.stores) sessions.push(...(await sessionsOf(name, memory)));
    if (isQuiet) return sessions;
    console.log(visibleText(quarantine.message));
    for (const problem of found.problems) console.log(`  ${visibleText(problem)}`);
    for (const { store, session, notes, characters, start } of sessions) {
      const size = `${counted(notes, "note")}, ${counted(characters, "character")} in the notepad`;
      console.log(`  ${visibleText(store)}  ${visibleText(session)}  ${size}`);
      if (start !== "") console.log(`      ${visibleText(start)}`);
    }
    return sessions;
  } finally {
    await found.close();
  }
}

async function sessionsOf(store: string, memory: Memory): Promise<FoundSession[]> {
  const found: FoundSession[] = [];
  for (const { id, notes } of await memory.listSessions({ status: "all" })) {
    const notepad = (await (await memory.findSession(id))?.notepad.read()) ?? "";
    const start = oneLine(notepad, 100);
    found.push({ store, session: id, notes, characters: countCharacters(notepad), start });
  }
  return found;
}
