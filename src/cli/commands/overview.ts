import { HoldfastError } from "../../errors.ts";
import { commandName, ownCommand } from "../../hosts/install/launcher.ts";
import type { SessionItem } from "../../server/api.ts";
import type { HostSessions } from "../../server/hosts.ts";
import { refChecker } from "../../server/project-files.ts";
import { SessionTree, sessionItem } from "../../server/session-item.ts";
import type { Memory } from "../../sessions/memory.ts";
import { findProject } from "../../workspace/project.ts";
import { type FoundAgent, foundAgents } from "../found-agents.ts";
import { hostSessions } from "../host-sessions.ts";
import { withMemory } from "../memory.ts";
import { allSessions } from "../pick-session.ts";
import { ageOf, count, counted, percent } from "../terminal/quantities.ts";
import { printLines, type Screen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";
import { homePath, visibleLine } from "../terminal/visible-text.ts";

/** "holdfast sessions" lists more. */
const newest = 5;

/** The data of the overview. */
interface Overview {
  root: string;
  agents: readonly FoundAgent[];
  sessions: readonly SessionItem[];
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
  const { sessions, more } = await readSessions(hosts, project.root);
  const concerns = sessions.flatMap(concernsOf);
  const shown = { root: project.root, agents, sessions, more, concerns, failures: failuresOf(hosts) };
  printLines((screen) => renderOverview(shown, screen));
  return 0;
}

/** The newest sessions, with the facts that the inspector shows; none if there is no store yet. */
async function readSessions(
  hosts: HostSessions,
  root: string,
): Promise<{ sessions: SessionItem[]; more: number }> {
  const read = async (memory: Memory) => {
    const active = await allSessions(memory, "active");
    const context = { memory, hosts, checkRef: refChecker(root), clock: Date.now };
    const tree = new SessionTree(active);
    const listed = active.slice(0, newest);
    const sessions = await Promise.all(listed.map((summary) => sessionItem(context, summary, tree)));
    return { sessions, more: active.length - sessions.length };
  };
  try {
    return await withMemory("read", {}, read);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "not_found") return { sessions: [], more: 0 };
    throw error;
  }
}

/** The items of a session that need the user. Failed hooks are listed once, without a session. */
function concernsOf({ name, attention }: SessionItem): string[] {
  return attention
    .filter(({ kind }) => kind !== "hook")
    .map(({ text }) => `"${visibleLine(name)}": ${visibleLine(text)}`);
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

function rowOf({ name, agent, window, plan, last, updatedAt }: SessionItem): string[] {
  return [
    name,
    agent,
    window ? percent(window.tokens / window.limit) : "–",
    plan ? `${plan.done}/${plan.total}` : "–",
    last ? `${count(last.removed)} ${last.rest}` : "–",
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
    : `${command} help init, to connect a coding agent`;
}
