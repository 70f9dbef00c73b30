import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ClientPlace, installClient, run } from "../../test-support/clients.ts";

export const spec = "@openai/codex@0.166.0";

const program = () => join(installClient(spec), "node_modules/@openai/codex/bin/codex.js");

/** The folder with the program, for a PATH. */
export const binFolder = () => join(installClient(spec), "node_modules/.bin");

export const codex = (place: ClientPlace, ...args: string[]) =>
  run(process.execPath, [program(), ...args], place);

/** The user's config: the model, and a trusted project. A model that Codex does not know gets plain function tools. */
export function writeUserConfig(place: ClientPlace, { url }: { url: string }): void {
  const folder = join(place.home, ".codex");
  mkdirSync(folder);
  const config = `model = "scripted"
model_provider = "scripted"
model_auto_compact_token_limit = 60_000
model_providers.scripted = { name = "scripted", base_url = "${url}/v1", wire_api = "responses" }

[projects.${JSON.stringify(realpathSync(place.root))}]
trust_level = "trusted"
`;
  writeFileSync(join(folder, "config.toml"), config);
}

interface Message {
  id?: number;
  method?: string;
  params?: { threadId?: string };
  result?: unknown;
  error?: unknown;
}

export interface AppServer {
  ask(method: string, params: object): Promise<unknown>;
  /** One turn of a thread, to its end. */
  turn(threadId: string, text: string): Promise<void>;
  stop(): Promise<void>;
}

/** `codex app-server`, which editors start: one process with many threads. */
export async function startAppServer({ root, env }: ClientPlace): Promise<AppServer> {
  const child = spawn(process.execPath, [program(), "app-server"], {
    cwd: root,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const answers = new Map<number, (message: Message) => void>();
  const turns = new Map<string, () => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined && message.method === undefined) answers.get(message.id)?.(message);
    else if (message.method === "turn/completed") turns.get(message.params?.threadId ?? "")?.();
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  let last = 0;
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++last;
      answers.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`)),
      );
      void ended.then(() => reject(new Error(`codex app-server ended before it answered ${method}`)));
      send({ id, method, params });
    });
  await ask("initialize", { clientInfo: { name: "test", version: "1" } });
  send({ method: "initialized" });
  return {
    ask,
    async turn(threadId, text) {
      const done = new Promise<void>((resolve) => turns.set(threadId, resolve));
      await ask("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
      await done;
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}
