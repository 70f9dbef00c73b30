import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Finding } from "../doctor/finding.ts";
import type { Places } from "../install/places.ts";
import { pi } from "./host.ts";
import { piSetup } from "./setup.ts";

async function trust(places: Places, version: string): Promise<Finding | undefined> {
  return piSetup.checkTrust?.(places, version);
}

test("doctor finds a project that pi does not trust, by pi's version and saved decisions [doctor.trust]", async () => {
  const home = realpathSync(temporaryDirectory());
  const root = join(home, "work", "project");
  mkdirSync(root, { recursive: true });
  const places: Places = { scope: "project", root, home, env: {} };
  const folder = pi.userFolder({ HOME: home });
  mkdirSync(folder, { recursive: true });
  const status = async (version = "0.87.1", where = places) => (await trust(where, version))?.status;

  const undecided = await trust(places, "0.87.1");
  assert.equal(undecided?.status, "problem");
  assert.match(undecided?.remedy ?? "", /\/trust[\s\S]*pi --approve/);
  assert.equal(await status("0.73.1"), "ok");
  assert.equal(await status("1.2.0"), "problem");
  assert.equal(await status("0.87.1", { ...places, scope: "user" }), "ok");

  const decide = (decisions: Record<string, boolean | null>) =>
    writeFileSync(join(folder, "trust.json"), JSON.stringify(decisions));
  decide({ [dirname(root)]: true });
  assert.equal(await status(), "ok");
  decide({ [dirname(root)]: true, [root]: false });
  assert.equal(await status(), "problem");
  decide({ [root]: null });
  for (const [usual, expected] of Object.entries({ never: "problem", always: "ok", ask: "problem" })) {
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ defaultProjectTrust: usual }));
    assert.equal(await status(), expected);
  }
});
