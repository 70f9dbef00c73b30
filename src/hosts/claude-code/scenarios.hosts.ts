import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientPlace, installClient, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

const program = () => join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
const claude = (place: ClientPlace, ...args: string[]) => run(program(), ["-p", ...args], place);

testClient({
  host: "claude-code",
  spec,
  prepare(place, { url }) {
    Object.assign(place.env, {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
    // The least window that it accepts.
    const settings = join(place.root, ".claude/settings.json");
    writeJson(settings, { ...JSON.parse(readFileSync(settings, "utf8")), autoCompactWindow: 100_000 });
    // It ignores a project's permission rules until the user trusts the folder.
    writeJson(join(place.home, ".claude.json"), {
      projects: { [place.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] } },
    });
  },
  limit: 67_000,
  begin: (place, words) => claude(place, words),
  resume: (place, words) => claude(place, "--continue", words),
  compact: (place) => claude(place, "--continue", "/compact"),
  answerOwn: ({ last }) =>
    /detailed summary of the conversation/i.test(last)
      ? { text: "<summary>The user asked for the ledger.</summary>" }
      : undefined,
});
