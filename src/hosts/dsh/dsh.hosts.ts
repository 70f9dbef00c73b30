import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ClientPlace, installClient, run } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";
import { writeRunner } from "./live.ts";

const version = "0.1.0-rc.8";
const spec = `@deepseek-ai/dsh@${version}`;

/** npm does not install its peers, which its own packages name in conflicting versions. */
const peers = [
  ...["anonymous-user-id", "atomic-write", "bash-local", "code-runtime", "compaction", "fs", "invariants"],
  ...["output-retention", "sandbox", "scope", "session-telemetry", "session-title-llm", "shell", "spill"],
  ...["subagent-in-process-driver", "timeout", "workflow"],
].map((name) => `@deepseek-ai/dsh-${name}@${version}`);

/** The Cordis packages of its release; it does not start with the newest ones, whose HMR service has another interface. */
const cordis = [
  ...["cordis@4.0.1", "cordis-plugin-group@1.0.1", "cordis-plugin-hmr@1.0.16", "cordis-plugin-include@1.0.6"],
  ...["cordis-plugin-loader@1.0.2", "cordis-plugin-timer@1.1.3", "cosmokit@1.8.2", "schemastery@3.18.1"],
].map((name) => `@deepseek-ai/${name}`);

const installWith = ["--legacy-peer-deps", ...peers, ...cordis];

const program = () => join(installClient(spec, installWith), "node_modules/@deepseek-ai/dsh/lib/bin.js");

const dsh = (place: ClientPlace, patches: string[], task: string) =>
  run(
    process.execPath,
    [program(), "--profile", "headless", ...patches.flatMap((path) => ["--patch", path]), task],
    place,
  );

/** Its headless profile cannot continue a conversation, so doctor's runner does. */
function again(place: ClientPlace, task: string): Promise<string> {
  const folder = join(place.home, "runner");
  mkdirSync(folder, { recursive: true });
  writeRunner(folder, newestSession(place));
  return dsh(place, [quiet(place), join(folder, "runner.yml")], task);
}

function newestSession({ home }: ClientPlace): string {
  const sessions = join(home, ".dsh/sessions");
  const folders = readdirSync(sessions).flatMap((project) =>
    readdirSync(join(sessions, project)).map((name) => join(sessions, project, name)),
  );
  const [newest = ""] = folders.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return basename(newest);
}

const quiet = ({ home }: ClientPlace) => join(home, "quiet.yml");

testClient({
  host: "dsh",
  spec,
  installWith,
  prepare(place, { url }) {
    // Without its message after the user's, which the scripted model would take for the prompt.
    const setting = "- id: system-prompt\n  config: { persona: '', includeRuntimeContext: false }\n";
    writeFileSync(quiet(place), setting);
    Object.assign(place.env, {
      DEEPSEEK_API_KEY: "none",
      DEEPSEEK_BASE_URL: url,
      DSH_TELEMETRY_DISABLED: "1",
    });
  },
  begin: (place, words) => dsh(place, [quiet(place)], words),
  resume: again,
  compact: (place) => again(place, "/compact"),
  padding: 6_000,
  answerOwn: ({ last, text }) =>
    text.includes("Create a concise title")
      ? { text: "A title" }
      : last.includes("You write the summary")
        ? { text: "The user asked for the ledger. Next step: run npm test." }
        : undefined,
});
