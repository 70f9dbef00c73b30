import { createInterface } from "node:readline/promises";

/** Asks the person at the terminal; undefined if they close the input. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    return (await Promise.race([lines.question(question), closed]))?.trim();
  } finally {
    lines.close();
  }
}

/** Whether someone reads what we print and can answer. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}
