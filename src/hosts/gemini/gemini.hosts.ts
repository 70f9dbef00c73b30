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

const spec = "@google/gemini-cli@0.61.0";

const program = () => join(installClient(spec), "node_modules/@google/gemini-cli/bundle/gemini.js");
const gemini = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

/** The user's settings. It compresses when the last request was over this share of the window. */
function writeSettings({ home }: ClientPlace, compressionThreshold: number): void {
  writeJson(join(home, ".gemini/settings.json"), {
    security: { auth: { selectedType: "vertex-ai" } },
    privacy: { usageStatisticsEnabled: false },
    model: { name: "gemini-2.5-pro", compressionThreshold },
  });
}

async function prepare(place: ClientPlace, model: ScriptedModel): Promise<void> {
  await useDoctorModel("gemini", place, model);
  writeSettings(place, 0.9);
  writeJson(join(place.home, ".gemini/trustedFolders.json"), { [place.root]: "TRUST_FOLDER" });
}

const client: RealClient = {
  host: "gemini",
  spec,
  prepare,
  limit: 943_718,
  ...doctorTurns("gemini", () => [process.execPath, program()]),
  async compact(place) {
    writeSettings(place, 0.000_01);
    await gemini(place, "--resume", "latest", "-p", "Go on.");
    writeSettings(place, 0.9);
  },
  keepsMemory: true,
  answerOwn: ({ last }) =>
    last.includes("<state_snapshot>")
      ? {
          text: "<state_snapshot><overall_goal>The user asked for the ledger.</overall_goal></state_snapshot>",
        }
      : undefined,
};

testClient(client);

testSubAgent(
  client,
  {
    prefix: "mcp_holdfast_",
    start: { tool: "invoke_agent", input: { agent_name: "generalist", prompt: "Count the sheets." } },
    end: { tool: "complete_task", input: { result: "Six." } },
  },
  (place) => gemini(place, "--approval-mode", "yolo", "-p", "Move the ledger."),
);
