import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientPlace, installClient, run } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@openai/codex@0.166.0";

const program = () => join(installClient(spec), "node_modules/@openai/codex/bin/codex.js");

/** A user would review the hooks with /hooks. */
const options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"];

const codex = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

testClient({
  host: "codex",
  spec,
  prepare(place, { url }) {
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
