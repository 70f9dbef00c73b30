import assert from "node:assert/strict";
import { test } from "node:test";
import { warningOfVersion } from "./open-database.ts";

test("a SQLite version with a known bug causes a warning [stores.sqlite-version]", () => {
  for (const version of ["3.51.2", "3.47.2", "3.9.0", "2.99.99"])
    assert.match(warningOfVersion(version) ?? "", /newer Node/);
  for (const version of ["3.51.3", "3.52.0", "3.53.4", "4.0.0"])
    assert.equal(warningOfVersion(version), undefined);
});
