import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { tomlServer } from "../codex/config-toml.ts";
import { jsonServer } from "../install/json-pieces.ts";
import type { ConfiguredServer } from "../install/piece.ts";
import { checkServer } from "./check-server.ts";

const launcher = { command: process.execPath, args: [join(import.meta.dirname, "../../cli.ts")] };

test("doctor finds a server that is disabled in the config [doctor.server]", async () => {
  const inJson = jsonServer({ path: "opencode.json" }, ["mcp", "holdfast"], launcher, {
    asList: true,
    enabled: true,
  });
  const inToml = tomlServer({ path: "config.toml" }, launcher, [{ name: "write_notepad", isOffered: true }]);
  for (const [piece, off] of [
    [inJson, (text: string) => text.replace('"enabled": true', '"enabled": false')],
    [inToml, (text: string) => `${text}enabled = false\n`],
  ] as const) {
    const text = piece.add("");
    assert.equal(piece.server?.(text)?.isOff, false);
    const server = piece.server?.(off(text));
    assert.ok(server?.isOff);
    const [finding] = await checkServer(server, temporaryDirectory(), "");
    assert.deepEqual([finding?.status, finding?.remedy], ["problem", 'Set its "enabled" to true.']);
  }
});

test("doctor reports a failing server with its error, and a server with another store [doctor.server]", async () => {
  const folder = temporaryDirectory();
  const look = async (server: Partial<ConfiguredServer>) =>
    checkServer({ ...launcher, env: {}, ...server }, folder, "again");
  const [missing] = await look({ args: [join(folder, "nope.js")] });
  assert.match(missing?.detail ?? "", /does not start: Error: Cannot find module/);
  const args = [...launcher.args, "mcp", "--store", join(folder, "other.db")];
  const [fine, elsewhere] = await look({ args });
  assert.deepEqual([fine?.status, elsewhere?.status], ["ok", "note"]);
  assert.match(elsewhere?.detail ?? "", /--store .*other\.db/);
  assert.equal((await look({ args: args.slice(0, -2) })).length, 1);
});
