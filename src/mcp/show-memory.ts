import type { CallToolResult, ReadResourceResult, Tool } from "@modelcontextprotocol/server";
import { objectIn } from "../engine/json.ts";
import { oneLine } from "../engine/text.ts";
import type { Session } from "../sessions/session.ts";
import { listPins } from "../surfaces/pins/operations.ts";
import { memoryAppPage } from "./memory-app.ts";
import { readPlan } from "./resources.ts";

/** The extension by which a client declares that it renders apps. */
const extension = "io.modelcontextprotocol/ui";
const mimeType = "text/html;profile=mcp-app";

/** How the server declares that it has an app. */
export const appsExtension = { [extension]: {} };

export const memoryAppUri = "ui://holdfast/memory";

/** Its result is a page in clients that render apps. Listed only for them: it would cost others tokens in every turn. */
export const showMemoryTool: Tool = {
  name: "show_memory",
  title: "Show memory",
  description: "Show the user what memory contains.",
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true, openWorldHint: false },
  _meta: { ui: { resourceUri: memoryAppUri } },
};

/** Whether a client with these capabilities renders apps. */
export function rendersApps(capabilities: unknown): boolean {
  const { mimeTypes } = objectIn(objectIn(objectIn(capabilities).extensions)[extension]);
  return Array.isArray(mimeTypes) && mimeTypes.includes(mimeType);
}

export function readMemoryApp(): ReadResourceResult {
  const _meta = { ui: { prefersBorder: true } };
  return { contents: [{ uri: memoryAppUri, mimeType, text: memoryAppPage, _meta }] };
}

interface Section {
  title: string;
  text: string;
}

/** Max notes shown; the tools find the rest. */
const maxNotes = 30;
const noteLength = 200;

/** The contents of memory, as text and as the sections of the page. `session` is undefined until something is written. */
export async function showMemory(id: string, session: Session | undefined): Promise<CallToolResult> {
  const sections = session ? await sectionsOf(session) : [];
  const content = [{ type: "text" as const, text: memoryText(sections) }];
  return { content, structuredContent: { session: id, sections } };
}

export function memoryText(sections: readonly Section[]): string {
  if (sections.length === 0) return "Nothing has been saved in this session yet.";
  return sections.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n");
}

export async function sectionsOf(session: Session): Promise<Section[]> {
  const { text: handoff } = (await session.records("handoff"))
    .map(({ value }) => value)
    .reduce((newest, each) => (newest.epoch > each.epoch ? newest : each), { epoch: -1, text: "" });
  const sections = [
    { title: "Pins", text: await renderPins(session) },
    { title: "Notepad", text: await session.notepad.read() },
    { title: "Plan", text: await readPlan(session) },
    { title: "Notes", text: await renderNotes(session) },
    { title: "Handoff of the last compaction", text: handoff },
    { title: "Last receipt", text: (await session.receipts()).at(-1)?.line ?? "" },
  ];
  return sections
    .filter(({ text }) => text.trim() !== "")
    .map(({ title, text }) => ({ title, text: session.hideSecrets(text) }));
}

async function renderPins(session: Session): Promise<string> {
  return listPins(await session.state())
    .map(({ id, text }) => `${id}: ${text}`)
    .join("\n");
}

async function renderNotes(session: Session): Promise<string> {
  const { notes, total } = await session.notes.search({ limit: maxNotes });
  const lines = notes.map(({ id, tags, content }) => {
    const tagged = tags.length > 0 ? ` [${tags.join(", ")}]` : "";
    return `${id}${tagged}: ${oneLine(content, noteLength)}`;
  });
  const rest = total - notes.length;
  if (rest > 0)
    lines.push(
      `${rest} older ${rest === 1 ? "note" : "notes"} omitted. Find ${rest === 1 ? "it" : "them"} with search_notes.`,
    );
  return lines.join("\n");
}
