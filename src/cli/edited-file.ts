import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";

/** The private temporary file that the user edits, kept until the text is saved. */
export interface EditedFile {
  readonly path: string;
  write(text: string): void;
  read(): string;
  remove(): void;
}

/** If the text does not end with a newline itself, `read` strips the one that editors add. */
export function makeEditedFile(name: string, endsWithNewline: boolean): EditedFile {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-edit-")), name);
  return {
    path,
    write(text) {
      writeFileSync(path, endsWithNewline || text === "" ? text : `${text}\n`, { mode: 0o600 });
      chmodSync(path, 0o600);
    },
    read() {
      const text = decode(readFileSync(path));
      return endsWithNewline ? text : text.replace(/\r?\n$/, "");
    },
    remove: () => rmSync(dirname(path), { recursive: true, force: true }),
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HoldfastError("invalid_input", "The edited text is not UTF-8. Save it as UTF-8.", {
      cause: error,
    });
  }
}
