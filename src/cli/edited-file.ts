import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";

/** The file that a person edits a text in: private, and there until the text is safe elsewhere. */
export interface EditedFile {
  readonly path: string;
  write(text: string): void;
  read(): string;
  remove(): void;
}

/** `closed`: the text ends with a line break of its own. Where it does not, the one that editors add is taken off. */
export function makeEditedFile(name: string, closed: boolean): EditedFile {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-edit-")), name);
  return {
    path,
    write(text) {
      writeFileSync(path, closed || text === "" ? text : `${text}\n`, { mode: 0o600 });
      chmodSync(path, 0o600);
    },
    read() {
      const text = decode(readFileSync(path));
      return closed ? text : text.replace(/\r?\n$/, "");
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
