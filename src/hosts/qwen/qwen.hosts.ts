import { join } from "node:path";
import { type ClientPlace, installClient, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@qwen-code/qwen-code@0.24.4";

const program = () => join(installClient(spec), "node_modules/@qwen-code/qwen-code/cli.js");
const qwen = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

testClient({
  host: "qwen",
  spec,
  async prepare(place, { url }) {
    Object.assign(place.env, {
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "scripted",
    });
    writeJson(join(place.home, ".qwen/settings.json"), {
      security: { auth: { selectedType: "openai" } },
      // Its own memory asks the model after each turn.
      memory: { enableManagedAutoMemory: false },
    });
    await qwen(place, "mcp", "approve", "holdfast");
  },
  // Of the window of a model that it does not know.
  limit: 167_000,
  begin: (place, words) => qwen(place, "-p", words),
  resume: (place, words) => qwen(place, "--continue", "-p", words),
  compact: (place) => qwen(place, "--continue", "-p", "/compress"),
  answerOwn: ({ last }) =>
    last.includes("<state_snapshot>")
      ? {
          text: "<state_snapshot><overall_goal>The user asked for the ledger.</overall_goal></state_snapshot>",
        }
      : last.includes("MEMORY.md")
        ? { text: "Nothing to save." }
        : undefined,
});
