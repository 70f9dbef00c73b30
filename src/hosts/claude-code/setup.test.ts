import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { hookLine, portableLauncher } from "../install/launcher.ts";
import { checkTrust, claudeCodeSetup } from "./setup.ts";

test("doctor finds a server that is switched off in Claude Code, in both scopes [doctor.trust]", () => {
  const home = temporaryDirectory();
  const own = { projects: { [home]: { hasTrustDialogAccepted: true, disabledMcpServers: ["holdfast"] } } };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(own));
  for (const scope of ["project", "user"] as const) {
    const finding = checkTrust({ scope, root: home, home, env: {} });
    assert.deepEqual([finding?.status, /\/mcp/.test(finding?.remedy ?? "")], ["problem", true]);
  }
});

test("in a project, the hook at the end of a turn needs no server, which someone may decline [init.teammate]", () => {
  const root = temporaryDirectory();
  /** The command of the hook, if it has one. */
  const stopHook = (scope: "project" | "user") => {
    const pieces = claudeCodeSetup.pieces({ scope, root, home: root, env: {} }, portableLauncher);
    const hooks = pieces.find(({ what }) => what === "hooks");
    return hooks?.hooks?.(hooks.add("")).Stop;
  };
  assert.equal(stopHook("project"), hookLine(portableLauncher, "claude-code"));
  assert.equal(stopHook("user"), undefined);
});
