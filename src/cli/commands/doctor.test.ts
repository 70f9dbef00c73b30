import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { type Finding, type HostReport, note, ok } from "../../hosts/doctor/finding.ts";
import { renderDoctor } from "./doctor.ts";

/** A project with a store of its own, and `doctor` in it. */
function project(config: object = {}) {
  const root = temporaryDirectory();
  const db = join(root, "memory.db");
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "holdfast"));
  writeFileSync(join(root, "holdfast/config.json"), JSON.stringify(config));
  const run = (...args: string[]) =>
    holdfastWith({ HOLDFAST_DB: db, TEST_DIRECTORY: root, XDG_CONFIG_HOME: root }, "doctor", ...args);
  const findings = async () => JSON.parse((await run("--json")).stdout).store as Finding[];
  return { db, run, findings };
}

test("doctor shows the retention rules, the size of the store and the copies next to it [retention.shown]", async () => {
  const { db, run, findings } = project();
  assert.deepEqual(await findings(), [], "without a store there is nothing to say");
  const memory = await openTestMemory({ store: db });
  await memory.createSession({ id: "audit" });
  await memory.close();
  copyFileSync(db, `${db}.2026-11-16`);
  const { stdout } = await run();
  assert.match(
    stdout.replaceAll(/\s+/g, " "),
    /Store ok kept history 60 days, model calls 30 days, deleted sessions 30 days, archived sessions 365 days\. ok size [\d.]+ kB in \S+memory\.db ok backups 1 copy next to it: memory\.db\.2026-11-16 /,
  );
});

test("doctor reports that retention is off [retention.shown] [retention.off]", async () => {
  const { db, findings } = project({ retention: 0 });
  await (await openTestMemory({ store: db })).close();
  const [kept, , backups] = await findings();
  assert.equal(kept?.detail, "Everything. Retention is off.");
  assert.equal(backups?.detail, "No copy next to it.");
});

test("doctor finds no problems only where a coding agent can run [doctor.healthy]", () => {
  const screen = { width: 200, colours: false, paint: (_style: unknown, text: string) => text };
  const report = (version: Finding) => ({
    host: "codex",
    title: "Codex",
    isPresent: true,
    isWired: true,
    findings: [version, ok("wiring", "in this project")],
  });
  const missing = report(note("version", "codex is not on the PATH.", "Install Codex."));
  const last = (...reports: HostReport[]) =>
    renderDoctor({ reports, config: [], trouble: undefined, store: [] }, screen).at(-1);
  assert.match(last(missing) ?? "", /none of these coding agents is on the PATH/);
  assert.equal(last(missing, report(ok("version", "1.0.0"))), "No problems found.");
  assert.match(last() ?? "", /^No coding agent was found here/);
});
