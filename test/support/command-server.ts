import { main } from "../../src/cli/main.ts";

/** Runs a test's commands one after another in a single process, to save a process start per command. */
interface Request {
  args: string[];
  variables: NodeJS.ProcessEnv;
}

const initial = { ...process.env };
const directory = process.cwd();

process.on("message", ({ args, variables }: Request) => {
  void answer(args, variables);
});

async function answer(args: string[], variables: NodeJS.ProcessEnv): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, initial, variables);
  process.chdir(variables.TEST_DIRECTORY ?? directory);
  // Pretend that stdin is a terminal, so that commands can ask questions.
  process.stdin.isTTY = variables.TEST_TERMINAL !== undefined;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  let code = 1;
  try {
    code = await main(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).stack}\n`);
  }
  process.send?.({ code, stdout: stdout(), stderr: stderr() });
}

/** Captures writes until the returned function is called. */
function capture(stream: NodeJS.WriteStream): () => string {
  const { write } = stream;
  let written = "";
  stream.write = (text: string | Uint8Array) => {
    written += typeof text === "string" ? text : Buffer.from(text).toString();
    return true;
  };
  return () => {
    stream.write = write;
    return written;
  };
}
