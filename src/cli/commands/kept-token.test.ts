import assert from "node:assert/strict";
import { chmodSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { keptToken } from "./serve.ts";

/** A state directory of its own for one test. */
function useState(context: TestContext): string {
  const before = process.env.XDG_STATE_HOME;
  const state = temporaryDirectory();
  process.env.XDG_STATE_HOME = state;
  context.after(() => {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
  });
  return state;
}

const fileIn = (state: string) => join(state, globSync("holdfast/serve/*", { cwd: state })[0] ?? "missing");

test("a store's token is kept in a file that only the user can read; each store has its own [serve.kept-token]", (context) => {
  const state = useState(context);
  const token = keptToken("postgres://me:secret@db/one");
  assert.match(token ?? "", /^[\w-]{43}$/);
  assert.equal(keptToken("postgres://me:secret@db/one"), token);
  assert.equal(statSync(fileIn(state)).mode & 0o777, 0o600);
  assert.doesNotMatch(`${fileIn(state)} ${readFileSync(fileIn(state), "utf8")}`, /secret/);
  assert.notEqual(keptToken("sqlite:/two.db"), token);
});

test("a token that others could read, or a damaged file, is replaced [serve.kept-token]", (context) => {
  const state = useState(context);
  const first = keptToken("sqlite:/a.db");
  const path = fileIn(state);
  chmodSync(path, 0o644);
  const second = keptToken("sqlite:/a.db");
  assert.notEqual(second, first);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, "{");
  const third = keptToken("sqlite:/a.db");
  assert.match(third ?? "", /^[\w-]{43}$/);
  assert.equal(keptToken("sqlite:/a.db"), third);
});

test("without a place to keep it there is no kept token [serve.kept-token]", (context) => {
  const state = useState(context);
  mkdirSync(join(state, "holdfast"));
  writeFileSync(join(state, "holdfast/serve"), "a file in its place");
  assert.equal(keptToken("sqlite:/a.db"), undefined);
});
