import { fenceContent, unfenceContent } from "../../context/fence.ts";
import { originLine } from "../../context/origin-line.ts";
import type { SurfaceView } from "../surface.ts";

const notepadHeading = "## Session Notepad";

const emptyNotepad =
  "(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)";

/** The notepad's section. It is the last one of the system prompt, so it needs no end marker. */
export function renderNotepad(content: string): string {
  if (content === "") return `${notepadHeading}\n${emptyNotepad}`;
  const text = readsAsEmpty(content) ? `\\${content}` : fenceContent(content);
  return `${notepadHeading}\n${text}`;
}

/** Above the section, whose content runs to its end. */
export function withOrigin(origin: string, section: string): string {
  return origin === "" ? section : `${origin}\n\n${section}`;
}

/** The content of the one notepad section in a text; undefined when there is none. */
export function parseNotepad(text: string): string | undefined {
  const start = text.startsWith(`${notepadHeading}\n`) ? 0 : text.indexOf(`\n${notepadHeading}\n`) + 1;
  if (start === 0 && !text.startsWith(notepadHeading)) return undefined;
  const body = text.slice(start + notepadHeading.length + 1);
  if (body === emptyNotepad) return "";
  return readsAsEmpty(body) ? body.slice(1) : unfenceContent(body);
}

/** A notepad that contains the hint itself must not parse as empty. */
function readsAsEmpty(text: string): boolean {
  return text.endsWith(emptyNotepad) && /^\\*$/.test(text.slice(0, -emptyNotepad.length));
}

/** A freeform text that the model sees in full every turn. */
export const notepadView: SurfaceView = {
  name: "notepad",
  // Its section runs to the end of the prompt, so it comes last; anywhere else it needs the end marker.
  order: 3,
  block(state) {
    const origin = originLine(state, "notepad", "notepad");
    return {
      placement: "system",
      text: withOrigin(origin, renderNotepad(state.row.notepad ?? "")),
      whole: "Call read_notepad to read all of it, and write_notepad to condense it.",
      ...(state.row.notepad ? {} : { isEmpty: true as const }),
    };
  },
  end: "[End of notepad]",
  isEmpty: ({ row }) => !row.notepad,
};
