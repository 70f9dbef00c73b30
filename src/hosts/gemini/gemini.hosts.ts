import { join } from "node:path";
import { type ClientPlace, installClient, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

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

testClient({
  host: "gemini",
  spec,
  prepare(place, { url }) {
    Object.assign(place.env, {
      GOOGLE_GENAI_USE_VERTEXAI: "true",
      GOOGLE_API_KEY: "none",
      GOOGLE_VERTEX_BASE_URL: url,
    });
    writeSettings(place, 0.9);
    writeJson(join(place.home, ".gemini/trustedFolders.json"), { [place.root]: "TRUST_FOLDER" });
  },
  limit: 943_718,
  begin: (place, words) => gemini(place, "-p", words),
  resume: (place, words) => gemini(place, "--resume", "latest", "-p", words),
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
});
