import { linesInContext } from "../../compaction/receipt.ts";
import { HoldfastError } from "../../errors.ts";
import { commandName, ownCommand } from "../../hosts/install/launcher.ts";
import type { HostSessions } from "../../server/hosts.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { SessionSummary } from "../../stores/store.ts";
import { findProject } from "../../workspace/project.ts";
import { type FoundAgent, foundAgents } from "../found-agents.ts";
import { hostSessions } from "../host-sessions.ts";
import { withMemory } from "../memory.ts";
import { eachSession } from "../pick-session.ts";
import { factsOf, type SessionFacts } from "../session-facts.ts";
import { ageOf, count, counted, percent } from "../terminal/quantities.ts";
import { printLines, type Screen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";
import { homePath, visibleLine } from "../terminal/visible-text.ts";

/** "holdfast sessions" lists more. */
const newest = 5;

/** A session with its facts. */
interface Listed extends SessionFacts {
  updatedAt: number;
}

/** The data of the overview. */
interface Overview {
  root: string;
  agents: readonly FoundAgent[];
  sessions: readonly Listed[];
  /** Sessions that are not shown. */
  more: number;
  /** Notices for the user about the sessions, and about hooks that failed. */
  concerns: readonly string[];
  failures: readonly string[];
}

/** `holdfast` alone: shows the memory of this place and one next step. It changes nothing. */
export async function overview(): Promise<number> {
  const project = findProject(process.cwd());
  const hosts = hostSessions(project);
  const agents = await foundAgents(project.root);
  const { sessions, more, limit } = await readSessions(hosts);
  const concerns = sessions.flatMap((session) => concernsOf(session, limit));
  const shown = { root: project.root, agents, sessions, more, concerns, failures: failuresOf(hosts) };
  printLines((screen) => renderOverview(shown, screen));
  return 0;
}

/** The newest sessions; none if there is no store yet. */
async function readSessions(
  hosts: HostSessions,
): Promise<{ sessions: Listed[]; more: number; limit: number }> {
  const read = async (memory: Memory) => {
    const active: SessionSummary[] = [];
    for await (const summary of eachSession(memory, "active")) active.push(summary);
    const sessions: Listed[] = [];
    for (const summary of active.slice(0, newest)) sessions.push(await list(summary, memory, hosts));
    const limit = memory.setting.limits.notepadCharacters;
    return { sessions, more: active.length - sessions.length, limit };
  };
  try {
    return await withMemory("read", {}, read);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "not_found")
      return { sessions: [], more: 0, limit: 0 };
    throw error;
  }
}

async function list(summary: SessionSummary, memory: Memory, hosts: HostSessions): Promise<Listed> {
  return { ...(await factsOf(summary, memory, hosts)), updatedAt: summary.updatedAt };
}

/** A notepad this full needs to be shortened. */
const nearlyFull = 0.9;

/** Notices for the user about a session. */
function concernsOf({ name, receipt, notepadCharacters }: Listed, limit: number): string[] {
  const of = name === "" ? "A session" : `"${visibleLine(name)}"`;
  const items: string[] = [];
  if (receipt && receipt.rest === "lost" && receipt.messages > 0)
    items.push(
      `${of}: the last compaction removed ${counted(receipt.messages, "message")}, and they are lost.`,
    );
  if (receipt && linesInContext(receipt.notepad) < receipt.notepad.lines)
    items.push(
      `${of}: ${linesInContext(receipt.notepad)} of ${receipt.notepad.lines} lines of the notepad are in context. Shorten it with "${commandName()} edit".`,
    );
  if (limit > 0 && notepadCharacters > limit * nearlyFull)
    items.push(`${of}: the notepad is ${percent(notepadCharacters / limit)} full.`);
  return items;
}

/** Older failures of hooks are history (milliseconds). */
const recent = 24 * 3_600_000;

function failuresOf(hosts: HostSessions): string[] {
  // A hook without a name was called by hand.
  const failed = hosts.failures().filter(({ at, host }) => host !== "" && Date.now() - at < recent);
  const [last] = failed;
  if (!last) return [];
  const times = failed.length === 1 ? "A hook" : `${failed.length} hooks`;
  return [`${times} of ${last.host} failed in the last day: ${visibleLine(last.message)}`];
}

const columns = [
  { title: "SESSION", isWide: true, style: "bold" },
  { title: "AGENT" },
  { title: "WINDOW" },
  { title: "PLAN" },
  { title: "LAST COMPACTION" },
  { title: "WRITTEN", style: "dim" },
] as const;

/** The lines of the overview. */
function renderOverview(shown: Overview, screen: Screen): string[] {
  const { root, agents, sessions, more, concerns, failures } = shown;
  const attention = [...failures, ...concerns];
  const connected = agents.filter(({ isConnected }) => isConnected).map(({ title }) => title);
  const state = connected.length > 0 ? `connected: ${connected.join(", ")}` : "no coding agent is connected";
  return [
    `${screen.paint("bold", "Holdfast")}  ${visibleLine(homePath(root))}  ${screen.paint("dim", state)}`,
    "",
    ...(sessions.length > 0
      ? renderTable(columns, sessions.map(rowOf), screen)
      : ["No memory has been written here yet."]),
    ...(more > 0 ? [screen.paint("dim", `${counted(more, "more session")}: ${commandName()} sessions`)] : []),
    ...(attention.length > 0
      ? ["", screen.paint("yellow", "Needs attention"), ...attention.map((item) => `  ${item}`)]
      : []),
    "",
    `Next: ${nextStep(shown, connected)}`,
  ];
}

function rowOf({ name, agent, window, plan, receipt, updatedAt }: Listed): string[] {
  return [
    name || "(no title)",
    agent,
    window ? percent(window.used / window.of) : "–",
    plan.all > 0 ? `${plan.done}/${plan.all}` : "–",
    receipt ? `${count(receipt.messages)} ${receipt.rest}` : "–",
    ageOf(updatedAt),
  ];
}

/** One step that helps now. */
function nextStep({ agents, sessions, failures }: Overview, connected: readonly string[]): string {
  const command = ownCommand();
  if (connected.length === 0 && agents.length > 0)
    return `${command} init --dry-run, to see how to connect ${agents.map(({ title }) => title).join(" and ")}`;
  if (failures.length > 0) return `${command} doctor, to check that memory reaches each coding agent`;
  if (sessions.length > 0) return `${command} serve, to watch and edit this memory in the browser`;
  return connected.length > 0
    ? `start ${connected[0]} here and give it a task`
    : `${command} serve --demo, to watch a scripted agent keep its notes through compactions`;
}
