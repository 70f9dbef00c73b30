import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
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
