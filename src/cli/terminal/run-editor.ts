import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../errors.ts";

/** The user's editor with its arguments. */
function findEditor(): string[] {
  const configured = [process.env.VISUAL, process.env.EDITOR].find((value) => value?.trim());
  if (configured === undefined) return [process.platform === "win32" ? "notepad" : "vi"];
  return existsSync(configured) ? [configured] : splitCommand(configured);
}

/** Splits a command line into words. Supports shell quotes and backslashes, and no other shell syntax. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" ? character === '"' || character === "'" : character === quote) {
      quote = quote === "" ? character : "";
      word ??= "";
    } else {
      const escapes = character === "\\" && quote !== "'" && /["'\\\s]/.test(line.charAt(at + 1));
      if (escapes) at++;
      word = (word ?? "") + line.charAt(at);
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Opens a file in the editor and waits for the editor to exit. The path never goes through a shell. */
export async function runEditor(path: string): Promise<void> {
  const [command = "vi", ...args] = findEditor();
  const shown = JSON.stringify([command, ...args].join(" "));
  // Ctrl-C is for the editor while it runs; it must not kill this process.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    const problem = await new Promise<string | undefined>((resolve) => {
      const child = spawn(command, [...args, path], { stdio: "inherit" });
      child.once("error", (error) => resolve(`could not be started (${error.message})`));
      child.once("close", (code, signal) => {
        if (code === 0) resolve(undefined);
        else resolve(code === null ? `was killed by ${signal}` : `exited with code ${code}`);
      });
    });
    if (problem !== undefined) {
      throw new HoldfastError(
        "invalid_input",
        `The editor ${shown} ${problem}. Set $VISUAL or $EDITOR to a working editor, e.g. EDITOR="code --wait".`,
      );
    }
  } finally {
    process.off("SIGINT", ignore);
  }
}

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
