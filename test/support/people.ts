import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "./command-line.ts";
import { temporaryDirectory } from "./temporary.ts";

const root = join(import.meta.dirname, "../..");

/** Where edited texts are kept; deleted with the test file. */
const kept = temporaryDirectory();

let server: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

process.once("exit", () => server?.kill());

/** Runs `holdfast ARGS` with these variables, in a shared process that runs one command at a time. */
export function holdfastWith(variables: NodeJS.ProcessEnv, ...args: string[]): Promise<Outcome> {
  const turn = last.then(() =>
    request({ args, variables: { VISUAL: "", NO_COLOR: "", TMPDIR: kept, ...variables } }),
  );
  last = turn.catch(() => undefined);
  return turn;
}

async function request(request: { args: string[]; variables: NodeJS.ProcessEnv }): Promise<Outcome> {
  server ??= fork(join(import.meta.dirname, "command-server.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  server.ref();
  server.channel?.ref();
  server.send(request);
  const [answer] = (await once(server, "message")) as [Outcome];
  // Do not keep a finished test file alive.
  server.unref();
  server.channel?.unref();
  return answer;
}

/** An editor that runs this code with the file's `path`, and `asAgent` to write as the agent. */
export function scriptedEditor(code: string): { EDITOR: string } {
  const script = join(temporaryDirectory(), "an editor.mjs");
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
     const path = process.argv.at(-1);
     async function asAgent(work) {
       const { openMemory } = await import(${JSON.stringify(join(root, "src/index.ts"))});
       const memory = await openMemory({ store: process.env.HOLDFAST_DB, surfaces: ["notepad", "notes", "scratchpad"] });
       await work(await memory.resumeSession("s"));
       await memory.close();
     }
     ${code}`,
  );
  // With an argument and a space in its path, like real editors.
  return { EDITOR: `'${process.execPath}' "${script}" --wait` };
}
