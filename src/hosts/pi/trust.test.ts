import assert from "node:assert/strict";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Places } from "../install/places.ts";
import { userFolder } from "./files.ts";
import { checkTrust } from "./trust.ts";

test("doctor finds a project that pi does not trust, by pi's version and saved decisions [doctor.trust]", () => {
  const home = realpathSync(temporaryDirectory());
  const root = join(home, "work", "project");
  mkdirSync(root, { recursive: true });
  const places: Places = { scope: "project", root, home, env: {} };
  const folder = userFolder(places);
  mkdirSync(folder, { recursive: true });
  const status = (version = "0.87.1", where = places) => checkTrust(where, version)[0]?.status;

  const [undecided] = checkTrust(places, "0.87.1");
  assert.equal(undecided?.status, "problem");
  assert.match(undecided?.remedy ?? "", /\/trust[\s\S]*pi --approve/);
  assert.equal(status("0.73.1"), "ok");
  assert.equal(status("1.2.0"), "problem");
  assert.equal(status("0.87.1", { ...places, scope: "user" }), "ok");

  const decide = (decisions: Record<string, boolean | null>) =>
    writeFileSync(join(folder, "trust.json"), JSON.stringify(decisions));
  decide({ [dirname(root)]: true });
  assert.equal(status(), "ok");
  decide({ [dirname(root)]: true, [root]: false });
  assert.equal(status(), "problem");
  decide({ [root]: null });
  for (const [usual, expected] of Object.entries({ never: "problem", always: "ok", ask: "problem" })) {
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ defaultProjectTrust: usual }));
    assert.equal(status(), expected);
  }
});
