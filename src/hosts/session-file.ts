import type { SessionExport } from "../engine/session-document.ts";
import type { Scratchpad } from "../surfaces/scratchpad/operations.ts";

/** A file in which a host keeps one of its sessions. */
export interface SessionFile {
  /** Whether a text is such a file. */
  isIn(text: string): boolean;
  /** What it contains, as a document that makes a session, and the lines that could not be used. */
  read(text: string): { document: SessionExport; warnings: { line: number; message: string }[] };
  /** The text with this memory in it. The old text is its beginning, so the rest can be appended. */
  write(text: string, memory: { scratchpad: Scratchpad; notepad: string | null }): string;
}
