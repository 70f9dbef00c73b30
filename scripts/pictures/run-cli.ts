import { execFileSync } from "node:child_process";
import { join } from "node:path";

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** The width of a terminal in a picture. */
export const columns = 84;

/** An editor that writes this text. */
export function writer(text: string): string {
  const script = `require("node:fs").writeFileSync(process.argv[1], ${JSON.stringify(text)})`;
  return `${JSON.stringify(process.execPath)} -e '${script.replaceAll("'", `'\\''`)}'`;
}

/** Runs the program with its state in this folder, and returns its output. */
export function runCli(cwd: string, args: string[], input?: string, env: NodeJS.ProcessEnv = {}): string {
  const quiet = { HOME: cwd, XDG_STATE_HOME: join(cwd, "state"), COLUMNS: String(columns), NO_COLOR: "1" };
  return execFileSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...quiet, ...env },
    stdio: ["pipe", "pipe", "ignore"],
    ...(input === undefined ? {} : { input }),
  });
}
