import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientPlace } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";
import { codex, spec, startAppServer, writeUserConfig } from "./test-support/codex-client.ts";

/** A user would review the hooks with /hooks. */
const options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"];

/** Does what /hooks does: asks Codex for the hashes of the hooks, and writes down that they were reviewed. */
async function reviewHooks(place: ClientPlace): Promise<void> {
  const server = await startAppServer(place);
  const { data } = (await server.ask("hooks/list", { cwds: [place.root] })) as { data: [{ hooks: Hook[] }] };
  await server.stop();
  const reviewed = data[0].hooks.map(
    ({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
  );
  appendFileSync(join(place.home, ".codex/config.toml"), reviewed.join(""));
}

interface Hook {
  key: string;
  currentHash: string;
}

testClient({
  host: "codex",
  spec,
  prepare: writeUserConfig,
  async decide(place, model) {
    writeUserConfig(place, model);
    await reviewHooks(place);
  },
  limit: 60_000,
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
