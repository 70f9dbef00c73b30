import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { checkTrust } from "./setup.ts";

test("doctor finds a server that is switched off in Claude Code, in both scopes [doctor.trust]", () => {
  const home = temporaryDirectory();
  const own = { projects: { [home]: { hasTrustDialogAccepted: true, disabledMcpServers: ["holdfast"] } } };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(own));
  for (const scope of ["project", "user"] as const) {
    const finding = checkTrust({ scope, root: home, home, env: {} });
    assert.deepEqual([finding?.status, /\/mcp/.test(finding?.remedy ?? "")], ["problem", true]);
  }
});
