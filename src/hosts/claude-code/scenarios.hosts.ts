import { readFileSync } from "node:fs";
import { join } from "node:path";
import { doctorTurns, installClient, useDoctorModel, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

const program = () => join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
const { begin, resume } = doctorTurns("claude-code", () => [program()]);

testClient({
  host: "claude-code",
  spec,
  async prepare(place, model) {
    await useDoctorModel("claude-code", place, model);
    // The least window that it accepts.
    const settings = join(place.root, ".claude/settings.json");
    writeJson(settings, { ...JSON.parse(readFileSync(settings, "utf8")), autoCompactWindow: 100_000 });
    // It ignores a project's permission rules until the user trusts the folder.
    writeJson(join(place.home, ".claude.json"), {
      projects: { [place.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] } },
    });
  },
  limit: 67_000,
  begin,
  resume,
  compact: (place) => resume(place, "/compact"),
  answerOwn: ({ last }) =>
    /detailed summary of the conversation/i.test(last)
      ? { text: "<summary>The user asked for the ledger.</summary>" }
      : undefined,
});
