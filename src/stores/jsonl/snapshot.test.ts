import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { everything, openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { jsonlStore } from "./jsonl.ts";
import { type LineBody, readLine, writeLine } from "./line-format.ts";
import { readSession, writeSessionFile } from "./test-support/jsonl-file.ts";

function bodiesOf(path: string): LineBody[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => readLine(Buffer.from(line)));
}

test("lines before the last snapshot are not replayed [stores.jsonl-snapshot]", async () => {
  const { directory, path } = await writeSessionFile(150, 300);
  const before = (await readSession(directory)).found;
  const bodies = bodiesOf(path);
  const snapshot = bodies.findLastIndex(({ type }) => type === "snapshot");
  assert.ok(snapshot > 100 && snapshot < bodies.length - 1);
  // Entries with valid checksums that would wreck the notepad if replayed.
  const wrecked = bodies.map((body, index): LineBody => {
    if (body.type !== "commit" || index > snapshot) return body;
    return {
      type: "commit",
      entry: {
        ...body.entry,
        changes: [{ type: "text", target: "notepad", at: 0, removed: "", inserted: "wrecked" }],
      },
    };
  });
  const write = (lines: LineBody[]) =>
    writeFileSync(
      path,
      Buffer.concat(
        lines.map((body) =>
          writeLine(body.type === "commit" ? body.entry.revision : body.row.revision, body),
        ),
      ),
    );
  write(wrecked);
  assert.deepEqual((await readSession(directory)).found, before);
  // Counter-check: without the snapshot they are replayed.
  write(wrecked.filter(({ type }) => type !== "snapshot"));
  assert.match((await readSession(directory)).found?.notepad ?? "", /wrecked/);
});

test("snapshots contain everything: records, versions shared with forks, idempotency keys, history [stores.jsonl-snapshot]", async () => {
  const directory = temporaryDirectory();
  const plain = await openTestMemory();
  const memory = await openTestMemory({ store: await jsonlStore({ directory }) });
  const sessions = [await plain.createSession({ id: "test" }), await memory.createSession({ id: "test" })];
  for (const [index, session] of sessions.entries()) {
    await session.notes.add("first", ["one"], { key: "key of the first" });
    await session.scratchpad.setPlan("the plan");
    await session.scratchpad.addRef("src/a.ts");
    await (index === 0 ? plain : memory).forkSession("test", { id: "fork" });
    const { result } = await session.notes.add("doomed", ["two"]);
    await session.notes.delete(result.note.id);
    const [first] = await session.notes.all();
    await session.notes.update(first?.id as string, { content: "changed after the fork" });
    for (let count = 0; count < 150; count++)
      await session.notes.add(`${count} ${"x".repeat(1_000)}`, ["many"]);
  }
  await memory.close();
  const snapshots = bodiesOf(join(directory, "test.jsonl")).filter(({ type }) => type === "snapshot");
  assert.ok(snapshots.length >= 1);

  const reopened = await openTestMemory({ store: await jsonlStore({ directory }) });
  for (const id of ["test", "fork"]) {
    const [expected, found] = [await plain.resumeSession(id), await reopened.resumeSession(id)];
    assert.deepEqual(await everything(found), await everything(expected));
    assert.deepEqual(await found.history(), await expected.history());
  }
  const again = await (await reopened.resumeSession("test")).notes.add("first", ["one"], {
    key: "key of the first",
  });
  assert.equal(again.repeated, true);
  await reopened.close();
});

test("snapshots take a bounded share of the file, however long the session gets [stores.jsonl-snapshot]", async () => {
  const { path, data } = await writeSessionFile(600, 300);
  const bytes = { session: 0, commit: 0, snapshot: 0 };
  let last = 0;
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const { type } = readLine(Buffer.from(line));
    bytes[type] += Buffer.byteLength(line) + 1;
    last = type === "snapshot" ? 0 : last + Buffer.byteLength(line) + 1;
  }
  assert.ok(
    bytes.snapshot < bytes.commit,
    `${bytes.snapshot} bytes of snapshots for ${bytes.commit} bytes of commits`,
  );
  assert.ok(last < data.length / 2, `${last} of ${data.length} bytes must be replayed`);
});

test("a torn snapshot only causes a warning [stores.jsonl-snapshot] [stores.jsonl-torn]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(150, 300);
  const bodies = bodiesOf(path);
  const snapshot = bodies.findIndex(({ type }) => type === "snapshot");
  const [from, to] = [lineStarts[snapshot] as number, lineStarts[snapshot + 1] as number];
  writeFileSync(path, data.subarray(0, from));
  const before = (await readSession(directory)).found;
  for (const cut of [from + 1, from + 20, Math.floor((from + to) / 2), to - 1]) {
    writeFileSync(path, data.subarray(0, cut));
    const { found, warnings } = await readSession(directory);
    assert.deepEqual(found, before);
    assert.equal(warnings.length, 1);
  }
});
