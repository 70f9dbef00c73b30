import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** The width of a terminal in a picture. */
export const columns = 84;

/** An editor that writes this text. */
export function writer(text: string): string {
  const script = `require("node:fs").writeFileSync(process.argv[1], ${JSON.stringify(text)})`;
  return `${JSON.stringify(process.execPath)} -e '${script.replaceAll("'", `'\\''`)}'`;
}

/** The output of `holdfast serve --demo` in the terminal, without its pauses. */
export function runDemo(env: NodeJS.ProcessEnv = {}): string {
  const url = (path: string) =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src", path)).href);
  const script = `import { openMemory } from ${url("index.ts")};
    import { playDemo } from ${url("cli/demo/demo.ts")};
    await playDemo(await openMemory({ store: "memory:" }), { thinking: () => 0 });`;
  return runScript(tmpdir(), ["--input-type=module", "--eval", script], undefined, env);
}

/** Runs the program with its state in this folder, and returns its output. */
export function runCli(cwd: string, args: string[], input?: string, env: NodeJS.ProcessEnv = {}): string {
  return runScript(cwd, [cli, ...args], input, env);
}

function runScript(cwd: string, args: string[], input?: string, env: NodeJS.ProcessEnv = {}): string {
  const quiet = { HOME: cwd, XDG_STATE_HOME: join(cwd, "state"), COLUMNS: String(columns), NO_COLOR: "1" };
  return execFileSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...quiet, ...env },
    stdio: ["pipe", "pipe", "ignore"],
    ...(input === undefined ? {} : { input }),
  });
}
