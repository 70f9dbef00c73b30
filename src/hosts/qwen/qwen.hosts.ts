import { join } from "node:path";
import type { ScriptedModel } from "../doctor/scripted-model.ts";
import {
  type ClientPlace,
  doctorTurns,
  installClient,
  run,
  useDoctorModel,
  writeJson,
} from "../test-support/clients.ts";
import { type RealClient, testClient, testSubAgent } from "../test-support/scenarios.ts";

const spec = "@qwen-code/qwen-code@0.24.4";

const program = () => join(installClient(spec), "node_modules/@qwen-code/qwen-code/cli.js");
const qwen = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

async function prepare(place: ClientPlace, model: ScriptedModel): Promise<void> {
  await useDoctorModel("qwen", place, model);
  writeJson(join(place.home, ".qwen/settings.json"), {
    security: { auth: { selectedType: "openai" } },
    // Its own memory asks the model after each turn.
    memory: { enableManagedAutoMemory: false },
  });
  await qwen(place, "mcp", "approve", "holdfast");
}

const client: RealClient = {
  host: "qwen",
  spec,
  prepare,
  // Of the window of a model that it does not know.
  limit: 167_000,
  ...doctorTurns("qwen", () => [process.execPath, program()]),
  compact: (place) => qwen(place, "--continue", "-p", "/compress"),
  answerOwn: ({ last }) =>
    last.includes("<state_snapshot>")
      ? {
          text: "<state_snapshot><overall_goal>The user asked for the ledger.</overall_goal></state_snapshot>",
        }
      : last.includes("MEMORY.md")
        ? { text: "Nothing to save." }
        : undefined,
};

testClient(client);

testSubAgent(
  client,
  {
    prefix: "mcp__holdfast__",
    start: {
      tool: "agent",
      input: { description: "Count", prompt: "Count the sheets.", subagent_type: "general-purpose" },
    },
  },
  (place) => qwen(place, "--approval-mode", "yolo", "-p", "Move the ledger."),
);
