import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import type { Host } from "../../hosts/host.ts";
import { hostNamed, hosts } from "../../hosts/hosts.ts";
import { readSpans } from "../../hosts/transcript/read-conversation.ts";
import { readRecordedSession } from "../../hosts/transcript/recorded-session.ts";
import type { Span } from "./rescued-handoff.ts";

/** A conversation that a host recorded on this machine. */
export interface Conversation {
  host: Host;
  file: string;
  /** When it was last written to. */
  at: number;
  /** The host's id of it. */
  id: string;
}

const headBytes = 65_536;
/** Older ones are not looked at. */
const maxFiles = 400;
/** Larger ones take seconds to read. */
const maxBytes = 100_000_000;

/** The conversations of the hosts in a project, or in all with `root` undefined, newest first. */
export async function findConversations(
  root: string | undefined,
  limit: number,
  home = homedir(),
): Promise<Conversation[]> {
  const files: Omit<Conversation, "id">[] = [];
  for (const host of hosts) {
    const folder = (await host.recording?.())?.folder ?? host.transcript?.folder;
    if (folder !== undefined) files.push(...filesIn(host, folder.replace(/^~/, home)));
  }
  const found: Conversation[] = [];
  for (const file of files.toSorted((a, b) => b.at - a.at).slice(0, maxFiles)) {
    if (found.length >= limit) break;
    try {
      const head = readHead(file.file);
      if (root === undefined || isOf(head, root)) found.push({ ...file, id: idIn(head, file.file) });
    } catch {
      // A file that cannot be read, or that is none of a conversation, must not hide the others.
    }
  }
  return found;
}

/** One transcript that the person names. */
export async function openConversation(file: string): Promise<Conversation> {
  return { host: await hostOf(file), file, at: statSync(file).mtimeMs, id: idIn(readHead(file), file) };
}

/** The host that wrote a transcript: the one that recognises it, or else the one that reads most of it. */
async function hostOf(file: string): Promise<Host> {
  const counts = hosts.map((host) => {
    const spans = host.recording ? [] : (readSpans(host, file) ?? []);
    return { host, messages: spans.reduce((sum, { messages }) => sum + messages.length, 0) };
  });
  const best = counts.reduce((most, each) => (each.messages > most.messages ? each : most));
  try {
    const { format } = await readRecordedSession(readFileSync(file, "utf8"));
    return hostNamed(format);
  } catch (error) {
    if (best.messages > 0) return best.host;
    throw error;
  }
}

/** Its messages, between its compactions. */
export async function readConversationSpans({ host, file }: Conversation): Promise<Span[]> {
  const spans = readSpans(host, file, { maxBytes });
  if (spans) return spans;
  const { messages, compactions } = await readRecordedSession(readFileSync(file, "utf8"));
  const cuts = [0, ...compactions.map(({ messages: at }) => at), messages.length];
  return cuts
    .slice(1)
    .map((end, index) => ({ messages: messages.slice(cuts[index], end).map(({ message }) => message) }));
}

function filesIn(host: Host, folder: string): Omit<Conversation, "id">[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.jsonl?$/.test(name) && !/(?:^|[/\\])(?:subagents[/\\]|agent-)/.test(name))
      .flatMap((name) => {
        const file = join(folder, name);
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat && stat.size > 0 && stat.size <= maxBytes ? [{ host, file, at: stat.mtimeMs }] : [];
      });
  } catch {
    // The host has never run here.
    return [];
  }
}

function readHead(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(headBytes);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, headBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a transcript's lines name this folder, or one in it, as where the conversation runs. */
function isOf(head: string, root: string): boolean {
  const [, quoted = '""'] = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head) ?? [];
  const cwd = JSON.parse(quoted) as string;
  // Gemini CLI names the project by a hash of its folder.
  const hash = createHash("sha256").update(root).digest("hex");
  return (
    cwd === root ||
    cwd.startsWith(root + sep) ||
    head.includes(`"projectHash":"${hash}"`) ||
    head.includes(`"projectHash": "${hash}"`)
  );
}

/** The id in the transcript's lines, or else in its name. */
function idIn(head: string, file: string): string {
  const [, id] =
    /"sessionId"\s*:\s*"([\w.-]+)"/.exec(head) ?? /^\{[^\n]*?"id"\s*:\s*"([\w.-]+)"/.exec(head) ?? [];
  return id ?? basename(file, ".jsonl");
}
