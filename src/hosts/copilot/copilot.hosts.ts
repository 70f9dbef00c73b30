import { join } from "node:path";
import { type ClientPlace, installClient, run } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@github/copilot@1.0.102";

const program = () => join(installClient(spec), "node_modules/@github/copilot/npm-loader.js");
const copilot = (place: ClientPlace, ...args: string[]) =>
  run(process.execPath, [program(), ...args, "--allow-tool", "holdfast"], place);

testClient({
  host: "copilot",
  spec,
  prepare: (place, { url }) => {
    Object.assign(place.env, {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_OFFLINE: "true",
    });
  },
  limit: 51_200,
  answerTime: 1_500,
  begin: (place, words) => copilot(place, "-p", words),
  resume: (place, words) => copilot(place, "--continue", "-p", words),
  compact: (place) => copilot(place, "--continue", "-p", "/compact"),
  // It repeats the user's messages before the summary.
  summaryKept: /<summary>\s*The user asked for the ledger/,
  answerOwn: ({ last }) =>
    last.includes("Please write the summary now") ? { text: "The user asked for the ledger." } : undefined,
});
