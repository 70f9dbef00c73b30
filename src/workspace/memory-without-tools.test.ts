import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { openWithoutTools } from "./memory-without-tools.ts";
import { findProject } from "./project.ts";
import { locateStore, stampOf } from "./store-location.ts";

function locate(HOLDFAST_DB: string) {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  const project = findProject(root);
  return { project, store: locateStore({ project, cwd: root, env: { HOLDFAST_DB } }) };
}

test("the stamp changes with every write, even through a symlink [hooks.store]", async () => {
  const folder = temporaryDirectory();
  const [real, link] = [join(folder, "real.db"), join(temporaryDirectory(), "link.db")];
  symlinkSync(real, link);
  const memory = await openMemory({ store: real });
  const session = await memory.openSession("s");
  const { store } = locate(link);
  const stamps = new Set([stampOf(store)]);
  for (const text of ["one", "two"]) {
    await session.notepad.append(text);
    stamps.add(stampOf(store));
  }
  await memory.close();
  assert.equal(stamps.size, 3);
});

test("a store that must be opened to detect a change has no stamp [hooks.store]", () => {
  const addresses = ["memory:", "postgres://db/notes", "sqlite::memory:"];
  assert.deepEqual(
    addresses.map((address) => stampOf(locate(address).store)),
    ["", "", ""],
  );
});

test("a hook that only reads creates no store of any kind [hooks.missing]", async () => {
  for (const address of ["notes.db", "sqlite:notes.db?synchronous=normal"]) {
    const { project, store } = locate(address);
    assert.equal(await openWithoutTools(project, store, false), undefined);
    assert.ok(!existsSync(store.file), address);
    const memory = await openWithoutTools(project, store, true);
    await (await memory?.openSession("s"))?.notepad.append("kept");
    await memory?.close();
    const opened = await openMemory({ store: store.url });
    assert.equal(await (await opened.resumeSession("s")).notepad.read(), "kept");
    await opened.close();
  }
});
