import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { authors } from "../context/origin-line.ts";
import type { Change } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { Note } from "../surfaces/notes/operations.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { renderScratchpad } from "../surfaces/scratchpad/block.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Surface } from "../surfaces/surface.ts";
import { tasksSurface } from "../surfaces/tasks/tools.ts";

/** Max notes per read; the tools find the rest. */
const maxNotes = 200;

interface Kind {
  /** The surfaces that it shows; a server with none of them does not list it. */
  of: readonly string[];
  title: string;
  description: string;
  mimeType: string;
  /** `session` is undefined until something has been written. */
  read(session: Session | undefined): Promise<string>;
  /** Whether a change affects this resource. */
  isAffectedBy(change: Change): boolean;
}

const kinds = {
  notepad: {
    of: ["notepad"],
    title: "Notepad",
    description: "The full session notepad.",
    mimeType: "text/markdown",
    read: async (session) => (session ? session.notepad.read() : ""),
    isAffectedBy: (change) => change.type === "text" && change.target === "notepad",
  },
  notes: {
    of: ["notes"],
    title: "Notes",
    description: `The session's notes, newest first, up to ${maxNotes}.`,
    mimeType: "application/json",
    read: readNotes,
    isAffectedBy: (change) => change.type === "record" && (change.kind === "note" || change.kind === "tag"),
  },
  plan: {
    of: ["scratchpad", "tasks"],
    title: "Plan",
    description: "The scratchpad (notes, plan, references) and the open tasks.",
    mimeType: "text/markdown",
    read: readPlan,
    isAffectedBy: (change) =>
      (change.type === "text" && change.target !== "notepad") ||
      (change.type === "record" && ["space", "ref", "task"].includes(change.kind)),
  },
  receipts: {
    of: [],
    title: "Receipts",
    description: "The facts of each compaction: in context, retrievable and lost. Oldest first.",
    mimeType: "application/json",
    read: async (session) => JSON.stringify(session ? await session.receipts() : [], null, 2),
    isAffectedBy: (change) => change.type === "record" && change.kind === "receipt",
  },
} satisfies Record<string, Kind>;

export type ResourceKind = keyof typeof kinds;

const resourceKinds = Object.keys(kinds) as ResourceKind[];

export function resourceUri(session: string, kind: ResourceKind): string {
  return `holdfast://session/${session}/${kind}`;
}

export function parseResourceUri(uri: string): { session: string; kind: ResourceKind } | undefined {
  const [, session, kind] = /^holdfast:\/\/session\/((?!.*\.\.)[\w.-]+)\/([a-z]+)$/.exec(uri) ?? [];
  if (session === undefined || kind === undefined || !Object.hasOwn(kinds, kind)) return undefined;
  return { session, kind: kind as ResourceKind };
}

/** The resources of a server with these surfaces. Each session has receipts. */
export function resourceKindsOf(surfaces: readonly Surface[]): ResourceKind[] {
  const names = new Set(surfaces.map(({ name }) => name));
  return resourceKinds.filter(
    (kind) => kinds[kind].of.length === 0 || kinds[kind].of.some((each) => names.has(each)),
  );
}

export function listResources(session: string, offered: readonly ResourceKind[]): Resource[] {
  return offered.map((kind) => {
    const { title, description, mimeType } = kinds[kind];
    return { uri: resourceUri(session, kind), name: kind, title, description, mimeType };
  });
}

export function listTemplates(offered: readonly ResourceKind[]): ResourceTemplateType[] {
  return offered.map((kind) => {
    const { title, description, mimeType } = kinds[kind];
    return {
      uriTemplate: resourceUri("{session}", kind),
      name: `session-${kind}`,
      title: `${title} of any session`,
      description,
      mimeType,
    };
  });
}

export async function readResource(
  uri: string,
  kind: ResourceKind,
  session: Session | undefined,
): Promise<ReadResourceResult> {
  const { mimeType, read } = kinds[kind];
  return { contents: [{ uri, mimeType, text: await read(session) }] };
}

/** The resources that journal entries affect. Creating, importing or forking a session affects all of them. */
export function changedResources(entries: readonly JournalEntry[]): ResourceKind[] {
  if (entries.some(({ operation }) => startsSession(operation.type))) return resourceKinds;
  const changes = entries.flatMap((entry) => entry.changes);
  return resourceKinds.filter((kind) => changes.some((change) => kinds[kind].isAffectedBy(change)));
}

function startsSession(type: string): boolean {
  return type === "session.create" || type === "session.import" || type === "session.forked";
}

async function readNotes(session: Session | undefined): Promise<string> {
  const found = session ? await session.notes.search({ limit: maxNotes }) : { notes: [], total: 0 };
  const rest = found.total - found.notes.length;
  return JSON.stringify(
    {
      total: found.total,
      notes: found.notes.map(renderNote),
      ...(rest > 0 ? { message: `${rest} older notes omitted. Find them with search_notes.` } : {}),
    },
    null,
    2,
  );
}

function renderNote({ id, content, tags, createdAt, updatedAt, by }: Note) {
  const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) };
  return { id, content, tags, ...times, ...(by ? { written_by: authors[by] } : {}) };
}

function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? "unknown" : date.toISOString();
}

/** The scratchpad and the open tasks. */
export async function readPlan(session: Session | undefined): Promise<string> {
  if (!session) return "";
  const state = await session.state();
  return [renderScratchpad(readScratchpad(state)), tasksSurface.block?.(state)?.text ?? ""]
    .filter((text) => text !== "")
    .join("\n\n");
}
