import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { type Places, userFolder } from "../install/places.ts";
import { checkTrust } from "./check-trust.ts";

test("a project that pi does not trust is found, by pi's version and what was saved [doctor.trust]", async () => {
  const home = realpathSync(temporaryDirectory());
  const root = join(home, "work", "project");
  mkdirSync(root, { recursive: true });
  const places: Places = { scope: "project", root, home, env: {} };
  const folder = userFolder.pi(places);
  mkdirSync(folder, { recursive: true });
  const status = async (version = "0.87.1", where = places) =>
    (await checkTrust("pi", where, version))[0]?.status;

  const [undecided] = await checkTrust("pi", places, "0.87.1");
  assert.equal(undecided?.status, "note");
  assert.match(undecided?.remedy ?? "", /\/trust[\s\S]*pi --approve/);
  assert.equal(await status("0.73.1"), "ok");
  assert.equal(await status("1.2.0"), "note");
  assert.equal(await status("0.87.1", { ...places, scope: "user" }), "ok");

  const decide = (decisions: Record<string, boolean | null>) =>
    writeFileSync(join(folder, "trust.json"), JSON.stringify(decisions));
  decide({ [dirname(root)]: true });
  assert.equal(await status(), "ok");
  decide({ [dirname(root)]: true, [root]: false });
  assert.equal(await status(), "problem");
  decide({ [root]: null });
  for (const [usual, expected] of Object.entries({ never: "problem", always: "ok", ask: "note" })) {
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ defaultProjectTrust: usual }));
    assert.equal(await status(), expected);
  }
});

test("a server that was switched off in Claude Code is found, whoever wired it [doctor.trust]", async () => {
  const home = temporaryDirectory();
  const own = { projects: { [home]: { hasTrustDialogAccepted: true, disabledMcpServers: ["holdfast"] } } };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(own));
  for (const scope of ["project", "user"] as const) {
    const [finding] = await checkTrust("claude-code", { scope, root: home, home, env: {} });
    assert.deepEqual([finding?.status, /\/mcp/.test(finding?.remedy ?? "")], ["problem", true]);
  }
});
