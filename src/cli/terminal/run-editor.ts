import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";

/** The person's editor, with its arguments. */
function chosenEditor(): string[] {
  const asked = [process.env.VISUAL, process.env.EDITOR].find((value) => value?.trim());
  if (asked === undefined) return [process.platform === "win32" ? "notepad" : "vi"];
  return existsSync(asked) ? [asked] : splitCommand(asked);
}

/** Words of a command line, with quotes and backslashes as a shell reads them; nothing else of a shell is. */
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

/** Opens a file in the editor and waits until it is closed. The file is an argument, never part of a command line. */
export async function runEditor(path: string): Promise<void> {
  const [command = "vi", ...args] = chosenEditor();
  const shown = JSON.stringify([command, ...args].join(" "));
  // Ctrl-C belongs to the editor while it is open; it must not take the text away from under it.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    const problem = await new Promise<string | undefined>((resolve) => {
      const child = spawn(command, [...args, path], { stdio: "inherit" });
      child.once("error", (error) => resolve(`could not be started (${error.message})`));
      child.once("close", (code, signal) => {
        if (code === 0) resolve(undefined);
        else resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
      });
    });
    if (problem !== undefined) {
      throw new HoldfastError(
        "invalid_input",
        `The editor ${shown} ${problem}. Set $VISUAL or $EDITOR to one that works, e.g. EDITOR="code --wait".`,
      );
    }
  } finally {
    process.off("SIGINT", ignore);
  }
}
