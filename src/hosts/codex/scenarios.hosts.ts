import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ClientModel } from "../test-support/client-model.ts";
import { type ClientPlace, installClient, run } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@openai/codex@0.166.0";

const program = () => join(installClient(spec), "node_modules/@openai/codex/bin/codex.js");

/** A user would review the hooks with /hooks. */
const options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"];

const codex = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

function prepare(place: ClientPlace, { url }: ClientModel): void {
  const folder = join(place.home, ".codex");
  mkdirSync(folder);
  // A model that it does not know gets plain function tools.
  const config = `model = "scripted"
model_provider = "scripted"
model_providers.scripted = { name = "scripted", base_url = "${url}/v1", wire_api = "responses" }

[projects.${JSON.stringify(realpathSync(place.root))}]
trust_level = "trusted"
`;
  writeFileSync(join(folder, "config.toml"), config);
}

/** Does what /hooks does: asks Codex for the hashes of the hooks, and writes down that they were reviewed. */
async function reviewHooks(place: ClientPlace): Promise<void> {
  const { root, env } = place;
  const child = spawn(process.execPath, [program(), "app-server"], {
    cwd: root,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", version: "1" } } });
  send({ method: "initialized" });
  send({ id: 2, method: "hooks/list", params: { cwds: [root] } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line) as { id?: number; result: { data: [{ hooks: Hook[] }] } };
    if (id !== 2) continue;
    const reviewed = result.data[0].hooks.map(
      ({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
    );
    appendFileSync(join(place.home, ".codex/config.toml"), reviewed.join(""));
    break;
  }
  child.kill();
}

interface Hook {
  key: string;
  currentHash: string;
}

testClient({
  host: "codex",
  spec,
  prepare,
  async decide(place, model) {
    prepare(place, model);
    await reviewHooks(place);
  },
  begin: (place, words) => codex(place, "exec", ...options, words),
  resume: (place, words) => codex(place, "exec", "resume", "--last", ...options, words),
  compact: (place) =>
    codex(
      place,
      ...["exec", "resume", "--last", ...options],
      ...["--config", "model_auto_compact_token_limit=1", "Go on."],
    ),
  summaryKept: /The user asked for the ledger/,
  answerOwn: ({ last }) =>
    /CONTEXT CHECKPOINT COMPACTION/.test(last) ? { text: "The user asked for the ledger." } : undefined,
});
