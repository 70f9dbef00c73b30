import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { checkTrust } from "./trust.ts";

test("a server that was switched off in Claude Code is found, whoever wired it [doctor.trust]", () => {
  const home = temporaryDirectory();
  const own = { projects: { [home]: { hasTrustDialogAccepted: true, disabledMcpServers: ["holdfast"] } } };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(own));
  for (const scope of ["project", "user"] as const) {
    const [finding] = checkTrust({ scope, root: home, home, env: {} });
    assert.deepEqual([finding?.status, /\/mcp/.test(finding?.remedy ?? "")], ["problem", true]);
  }
});
