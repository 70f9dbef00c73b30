import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** The width of a terminal in a picture. */
export const columns = 84;

/** The output of `holdfast serve --demo` in the terminal, without its pauses. */
export function runDemo(env: NodeJS.ProcessEnv = {}): string {
  const script = `import { openMemory } from ${sourceUrl("index.ts")};
    import { playDemo } from ${sourceUrl("cli/demo/demo.ts")};
    await playDemo(await openMemory({ store: "memory:" }), { thinking: () => 0 });`;
  return runScript(tmpdir(), ["--input-type=module", "--eval", script], undefined, env);
}

/** Replaces the notepad of a session in the project at `cwd`, as its agent does. */
export function writeNotepad(
  cwd: string,
  sessionId: string,
  content: string,
  env: NodeJS.ProcessEnv = {},
): void {
  const script = `import { openExistingMemory } from ${sourceUrl("workspace/open-memory.ts")};
    const memory = await openExistingMemory();
    const session = await memory.openSession(${JSON.stringify(sessionId)});
    const answer = await session.call("write_notepad", ${JSON.stringify({ content })});
    if (!answer.ok) throw new Error(answer.text);
    await memory.close();`;
  runScript(cwd, ["--input-type=module", "--eval", script], undefined, env);
}

function sourceUrl(path: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src", path)).href);
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
