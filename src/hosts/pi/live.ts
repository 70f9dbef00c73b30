import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LiveClient, LiveTalk } from "../host-setup.ts";

export const piClient: LiveClient = {
  env: () => ({ PI_OFFLINE: "1" }),
  first: (talk) => [...modelArguments(talk), "-p", talk.prompt],
  again: (talk) => [...modelArguments(talk), "--continue", "-p", talk.prompt],
  session: sessionIn,
  limit: 100_000 - 16_384,
};

/** An extension adds the provider, and an option sets the session folder. */
function modelArguments({ url, folder }: LiveTalk): string[] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "doctor", name: "doctor", reasoning: false, input: ["text"], cost };
  const provider = {
    baseUrl: `${url}/v1`,
    apiKey: "doctor",
    api: "openai-completions",
    models: [{ ...model, contextWindow: 100_000, maxTokens: 1_000 }],
  };
  const file = join(folder, "provider.js");
  writeFileSync(file, `export default (pi) => pi.registerProvider("doctor", ${JSON.stringify(provider)});\n`);
  return ["--session-dir", join(folder, "sessions"), "--extension", file, "--model", "doctor/doctor"];
}

/** The first line of pi's session file names the session. */
function sessionIn(folder: string): string | undefined {
  const sessions = join(folder, "sessions");
  if (!existsSync(sessions)) return undefined;
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  if (file === undefined) return undefined;
  return /"id":"([^"]+)"/.exec(readFileSync(join(sessions, file), "utf8").split("\n")[0] ?? "")?.[1];
}
