import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const cli = join(import.meta.dirname, "../../cli.ts");
const events = ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"];

test("a hook in a deleted or unreadable directory works and prints no error [hooks.no-directory]", {
  skip: process.platform === "win32",
}, () => {
  const base = temporaryDirectory();
  const [home, locked, inner] = [join(base, "home"), join(base, "locked"), join(base, "locked", "inner")];
  for (const folder of [home, locked, inner]) mkdirSync(folder);
  // Root may read every folder, so the hook runs as another user then.
  const isRoot = process.getuid?.() === 0;
  for (const folder of [base, home]) chmodSync(folder, 0o777);
  for (const folder of [inner, locked]) chmodSync(folder, isRoot ? 0o700 : 0o000);
  const runIn = (enter: string, cwd: string | undefined, event: string) =>
    spawnSync("/bin/sh", ["-c", `${enter} exec '${process.execPath}' '${cli}' hook claude-code`], {
      cwd: base,
      input: JSON.stringify({ session_id: "s", hook_event_name: event, cwd }),
      // The hook runs from its sources here, which takes seconds on a busy machine.
      env: { HOME: home, HOLDFAST_HOOK_DEADLINE: "30000" },
      encoding: "utf8",
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    });
  for (const event of events) {
    for (const cwd of [join(base, "gone"), undefined]) {
      const { status, stdout, stderr } = runIn("mkdir -p gone && cd gone && rmdir ../gone &&", cwd, event);
      assert.deepEqual([status, stderr], [0, ""], `deleted, ${event}`);
      if (event === "SessionStart") assert.match(stdout, /Session Notepad/);
    }
    for (const cwd of [locked, inner]) {
      const { status, stdout, stderr } = runIn("", cwd, event);
      assert.deepEqual([status, stderr], [0, ""], `unreadable, ${event}`);
      if (event === "SessionStart") assert.match(stdout, /Session Notepad/);
    }
  }
  for (const folder of [locked, inner]) chmodSync(folder, 0o700);
});
