import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type ClientPlace, installClient, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@earendil-works/pi-coding-agent@0.87.1";

const program = () => join(installClient(spec), "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
const options = ["--approve", "--provider", "scripted", "--model", "scripted"];
const pi = (place: ClientPlace, ...args: string[]) =>
  run(process.execPath, [program(), ...options, ...args], place);

testClient({
  host: "pi",
  spec,
  prepare(place, { url }) {
    const model = { id: "scripted", contextWindow: 40_000, maxTokens: 2_000 };
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "none", models: [model] };
    writeJson(join(place.home, ".pi/agent/models.json"), { providers: { scripted: provider } });
    writeJson(join(place.home, ".pi/agent/settings.json"), {
      compaction: { keepRecentTokens: 10, reserveTokens: 2_000 },
    });
    place.env.PI_OFFLINE = "1";
  },
  // It would also read the one that another host has in the project, and warn of the conflict.
  hasNoSkill: true,
  // A user types /trust.
  decide: ({ home, root }) => writeJson(join(home, ".pi/agent/trust.json"), { [realpathSync(root)]: true }),
  limit: 23_616,
  begin: (place, words) => pi(place, "-p", words),
  resume: (place, words) => pi(place, "--continue", "-p", words),
  compact: compactLast,
  answerOwn: ({ tools }) => (tools.length > 0 ? undefined : { text: "The user asked for the ledger." }),
});

/** Without a screen, pi compacts through its line protocol. */
function compactLast({ root, env }: ClientPlace): Promise<void> {
  const words = [program(), "--mode", "rpc", "--continue", ...options];
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (/^\{.*"type":"response".*"command":"compact".*\}$/m.test(output)) child.stdin.end();
      });
    child.once("error", reject);
    child.once("close", () =>
      /"command":"compact","success":true/.test(output) ? resolve() : reject(new Error(`pi: ${output}`)),
    );
    child.stdin.write(`${JSON.stringify({ type: "compact" })}\n`);
  });
}
