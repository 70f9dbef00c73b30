import type { Scratchpad } from "../surfaces/scratchpad/operations.ts";
import { fenceContent, unfenceContent } from "./fence.ts";

const notepadHeading = "## Session Notepad";

const emptyNotepad =
  "(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)";

/** The notepad's section. It is the last one of the system prompt, so it needs no end marker. */
export function renderNotepad(content: string): string {
  if (content === "") return `${notepadHeading}\n${emptyNotepad}`;
  const text = readsAsEmpty(content) ? `\\${content}` : fenceContent(content);
  return `${notepadHeading}\n${text}`;
}

/** The content of the one notepad section in a text; undefined when there is none. */
export function parseNotepad(text: string): string | undefined {
  const start = text.startsWith(`${notepadHeading}\n`) ? 0 : text.indexOf(`\n${notepadHeading}\n`) + 1;
  if (start === 0 && !text.startsWith(notepadHeading)) return undefined;
  const body = text.slice(start + notepadHeading.length + 1);
  if (body === emptyNotepad) return "";
  return readsAsEmpty(body) ? body.slice(1) : unfenceContent(body);
}

/** A notepad that holds the hint word for word must not be taken for an empty one. */
function readsAsEmpty(text: string): boolean {
  return text.endsWith(emptyNotepad) && /^\\*$/.test(text.slice(0, -emptyNotepad.length));
}

const scratchpadStart = "[Session Scratchpad]";
const scratchpadEnd = "[End Scratchpad]";

/** The scratchpad's block: only the spaces that hold something, or nothing at all. */
export function renderScratchpad({ notes, plan, refs }: Scratchpad): string {
  const parts: string[] = [];
  if (notes !== "") parts.push(fenceContent(notes));
  if (plan !== "") parts.push(`Plan:\n${fenceContent(plan)}`);
  if (refs.length > 0) parts.push(`References:\n${refs.map(renderRef).join("\n")}`);
  return parts.length === 0 ? "" : `${scratchpadStart}\n${parts.join("\n\n")}\n${scratchpadEnd}`;
}

export function parseScratchpad(text: string): Scratchpad | undefined {
  const start = text.indexOf(`${scratchpadStart}\n`);
  const end = text.indexOf(`\n${scratchpadEnd}`, start);
  if (start === -1 || end === -1) return undefined;
  const body = text.slice(start + scratchpadStart.length + 1, end);
  const [beforeRefs, refs] = cutAtHeading(body, "References:");
  const [notes, plan] = cutAtHeading(beforeRefs, "Plan:");
  return {
    notes: unfenceContent(notes),
    plan: unfenceContent(plan ?? ""),
    refs: refs === undefined ? [] : refs.slice(2).split("\n• ").map(parseRef),
  };
}

/** A reference of several lines goes on indented, so that each bullet is one reference. */
function renderRef(ref: string): string {
  return `• ${fenceContent(ref).replaceAll("\n", "\n  ")}`;
}

function parseRef(text: string): string {
  return unfenceContent(text.replaceAll("\n  ", "\n"));
}

function cutAtHeading(text: string, heading: string): [before: string, after: string | undefined] {
  if (text.startsWith(`${heading}\n`)) return ["", text.slice(heading.length + 1)];
  const at = text.indexOf(`\n\n${heading}\n`);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + heading.length + 3)];
}
