import { join } from "node:path";
import { doctorTurns, installClient, useDoctorModel } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@github/copilot@1.0.102";

const program = () => join(installClient(spec), "node_modules/@github/copilot/npm-loader.js");
const { begin, resume } = doctorTurns("copilot", () => [process.execPath, program()]);

testClient({
  host: "copilot",
  spec,
  prepare: (place, model) => useDoctorModel("copilot", place, model),
  limit: 51_200,
  answerTime: 1_500,
  begin,
  resume,
  compact: (place) => resume(place, "/compact"),
  // It repeats the user's messages before the summary.
  summaryKept: /<summary>\s*The user asked for the ledger/,
  answerOwn: ({ last }) =>
    last.includes("Please write the summary now") ? { text: "The user asked for the ledger." } : undefined,
});
