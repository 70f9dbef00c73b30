import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { buildPackage as buildWhole, installPackage } from "../../../test/support/packed.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { type ClientPlace, installClient, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";
import { buildPackage } from "./test-support/build-package.ts";

const spec = "openclaw@2026.9.6";

const program = () => join(installClient(spec), "node_modules/openclaw/openclaw.mjs");
/** The key of the last conversation, by project. */
const keys = new Map<string, string>();
const built = buildPackage();

function say(place: ClientPlace, key: string, words: string): Promise<string> {
  keys.set(place.root, key);
  const turn = ["agent", "--local", "--agent", "main", "--session-key", key, "--message", words];
  // Without a gateway, one process at a time owns the state: each conversation has its own.
  const folder = join(place.home, ".openclaw");
  const own = {
    OPENCLAW_STATE_DIR: join(folder, key.replaceAll(":", "-")),
    OPENCLAW_CONFIG_PATH: join(folder, "openclaw.json"),
  };
  return run(process.execPath, [program(), ...turn], { ...place, env: { ...place.env, ...own } });
}

const sayAgain = (place: ClientPlace, words: string) => say(place, keys.get(place.root) ?? "", words);

/** The user's config. With `compaction` it compacts before the next turn. */
async function writeConfig({ home, root, env }: ClientPlace, compaction: object): Promise<void> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const window = { contextWindow: 60_000, maxTokens: 2_000 };
  const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, ...window };
  const provider = {
    baseUrl: env.SCRIPTED_MODEL,
    apiKey: "none",
    api: "openai-completions",
    models: [model],
  };
  const own = { enabled: true, hooks: { allowConversationAccess: true } };
  writeJson(join(home, ".openclaw/openclaw.json"), {
    agents: {
      defaults: {
        workspace: root,
        skipBootstrap: true,
        model: { primary: "local/scripted" },
        compaction: { mode: "default", memoryFlush: { enabled: false }, ...compaction },
      },
    },
    models: { mode: "merge", providers: { local: provider } },
    plugins: {
      allow: ["holdfast"],
      slots: { memory: "none" },
      load: { paths: [await built] },
      entries: { holdfast: own },
    },
  });
}

testClient({
  host: "openclaw",
  spec,
  prepare(place, { url }) {
    Object.assign(place.env, { SCRIPTED_MODEL: `${url}/v1`, OPENCLAW_NO_RESPAWN: "1" });
    return writeConfig(place, {});
  },
  // Doctor brings the model, and uses what init wrote.
  decide: () => {},
  // It copies a plugin with the packages next to it at each start, and a checkout has hundreds.
  async doctor() {
    const stage = temporaryDirectory();
    await buildWhole(stage);
    return installPackage(stage, temporaryDirectory()).cli;
  },
  isForMany: true,
  // Its window of 60,000 tokens less a quarter.
  limit: 45_000,
  begin: (place, words) => say(place, `agent:main:${randomUUID()}`, words),
  resume: sayAgain,
  async compact(place) {
    await writeConfig(place, { maxActiveTranscriptBytes: 1, keepRecentTokens: 10, recentTurnsPreserve: 0 });
    await sayAgain(place, "Go on.");
    await writeConfig(place, {});
  },
  answerOwn: ({ tools }) => (tools.length > 0 ? undefined : { text: "The user asked for the ledger." }),
});
