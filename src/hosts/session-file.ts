import type { SessionExport } from "../engine/session-document.ts";
import type { Scratchpad } from "../surfaces/scratchpad/operations.ts";

/** A file in which a host keeps one of its sessions. */
export interface SessionFile {
  /** Whether the text is such a file. */
  isIn(text: string): boolean;
  /** The file as an importable session document, with a warning for each line that could not be used. */
  read(text: string): { document: SessionExport; warnings: { line: number; message: string }[] };
  /** The text with this memory added. It starts with the old text, so the rest can be appended to the file. */
  write(text: string, memory: { scratchpad: Scratchpad; notepad: string | null }): string;
}
