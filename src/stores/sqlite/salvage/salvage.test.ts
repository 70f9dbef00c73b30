import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { openTestMemory } from "../../../../test/support/memory.ts";
import { holdfastWith } from "../../../../test/support/people.ts";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import type { SessionExport } from "../../../engine/session-document.ts";
import type { Memory } from "../../../index.ts";
import { salvage } from "./salvage.ts";

const directory = temporaryDirectory();
const whole = join(directory, "whole.db");
const pageSize = 4_096;
const originals = new Map<string, SessionExport>();
let memory: Memory;

before(async () => {
  memory = await openTestMemory({ store: whole });
  for (const id of ["alpha", "beta", "gamma"]) {
    const session = await memory.createSession({ id, title: `Session ${id}` });
    await session.notepad.write(`# ${id}\n${`- a finding of ${id}\n`.repeat(400)}`);
    await session.notepad.append("- the last finding, with Ünïcödé 日本語");
    await session.scratchpad.setPlan(`- [ ] finish ${id}`);
    for (let note = 0; note < 40; note++)
      await session.notes.add(`${id} note ${note} ${"x".repeat(200)}`, [id]);
  }
  const fork = await memory.forkSession("alpha", { id: "fork" });
  await fork.notes.add("only in the fork", ["fork"]);
  await memory.deleteSession("gamma");
  for (const id of ["alpha", "beta", "fork"]) originals.set(id, await memory.exportSession(id));
  // Copy before closing: the newest pages are only in the write-ahead log.
  for (const end of ["", "-wal"]) copyFileSync(whole + end, join(directory, `logged.db${end}`));
  await memory.close();
});

function original(id: string): SessionExport {
  return originals.get(id) ?? assert.fail(`no session ${id}`);
}

function documentOf(documents: SessionExport[], id: string): SessionExport {
  return documents.find(({ session }) => session.id === id) ?? assert.fail(`${id} was not found`);
}

/** A copy of the file with these pages overwritten. */
function damage(name: string, pages: readonly number[], filling: (page: number) => Uint8Array): string {
  const path = join(directory, name);
  const bytes = readFileSync(whole);
  for (const page of pages) bytes.set(filling(page), (page - 1) * pageSize);
  writeFileSync(path, bytes);
  return path;
}

const noise = (page: number) =>
  Uint8Array.from({ length: pageSize }, (_, at) => (at * 7_919 + page * 104_729) % 251);

test("salvage reads an intact file completely, including its write-ahead log [people.salvage]", () => {
  assert.ok(!existsSync(`${whole}-wal`) && statSync(join(directory, "logged.db-wal")).size > 0);
  for (const file of [whole, join(directory, "logged.db")]) {
    const { documents, losses } = salvage(file, undefined);
    assert.deepEqual(losses, []);
    assert.deepEqual(documents.map(({ session }) => session.id).sort(), ["alpha", "beta", "fork"]);
    for (const [id, document] of originals) assert.deepEqual(documentOf(documents, id), document);
  }
});

test("with any one page overwritten, salvage recovers the rest, and nothing recovered is wrong [people.salvage]", () => {
  const pages = statSync(whole).size / pageSize;
  for (let page = 1; page <= pages; page++) {
    const filling = page % 2 === 0 ? noise : () => new Uint8Array(pageSize);
    const { documents } = salvage(damage("one-page.db", [page], filling), undefined);
    assert.ok(documents.length >= 3, `page ${page}`);
    for (const document of documents) {
      const { id } = document.session;
      if (!originals.has(id)) continue;
      const { notepad, records, journal } = original(id);
      assert.ok(
        [notepad, null].includes(document.notepad),
        `the notepad of ${id} is wrong with page ${page}`,
      );
      for (const [kind, values] of Object.entries(document.records))
        for (const [key, value] of Object.entries(values ?? {}))
          assert.deepEqual(value, (records as Record<string, Record<string, unknown>>)[kind]?.[key]);
      for (const entry of document.journal)
        assert.deepEqual(
          entry,
          journal.find(({ revision }) => revision === entry.revision),
        );
    }
  }
});

test("lost rows are rebuilt from the journal, as far as it has no gaps [people.salvage]", () => {
  // The page with the session rows: titles and notepads start there.
  const bytes = readFileSync(whole);
  const page = 1 + Math.floor(bytes.lastIndexOf("Session beta") / pageSize);
  const { documents, losses } = salvage(damage("rows.db", [page], noise), undefined);
  assert.equal(documentOf(documents, "beta").notepad, original("beta").notepad);
  assert.deepEqual(documentOf(documents, "beta").records, original("beta").records);
  assert.match(
    losses.join("\n"),
    /The row of session beta could not be read; it was rebuilt from the history\./,
  );
  assert.match(losses.join("\n"), /\d+ pages of the file could not be read/);
  assert.deepEqual(documentOf(documents, "fork").records, original("fork").records);
  assert.equal(documentOf(documents, "fork").notepad, original("fork").notepad);
  assert.ok(!documents.some(({ session }) => session.id === "gamma"), "a deleted session came back");
});

test("a damaged database is reported in one line, salvaged to a file, and imported into a new one [people.salvage-command]", async () => {
  const path = damage("command.db", [1, 2, 3], noise);
  const rescued = join(directory, "rescued.jsonl");
  const shown = await holdfastWith({}, "show", "--db", path);
  assert.equal(shown.code, 1);
  assert.match(shown.stderr, /^holdfast: .*command\.db.*\n$/);
  const { code, stderr } = await holdfastWith({}, "export", "--salvage", "--db", path, "--into", rescued);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /sessions written\. Run "holdfast import/);
  assert.equal(statSync(rescued).mode & 0o777, 0o600);
  const fresh = join(directory, "fresh.db");
  const imported = await holdfastWith({}, "import", rescued, "--db", fresh, "--json");
  assert.equal(imported.code, 0, imported.stderr);
  const again = await openTestMemory({ store: fresh });
  const session = await again.resumeSession("beta");
  assert.equal(await session.notepad.read(), original("beta").notepad);
  assert.equal((await session.notes.all()).length, 40);
  await again.close();
});

test("salvage reports a file without sessions, and reads a truncated one [people.salvage-command]", async () => {
  const foreign = join(directory, "foreign.db");
  writeFileSync(foreign, "no database at all\n".repeat(1_000));
  const { code, stderr } = await holdfastWith({}, "export", "--salvage", "--db", foreign);
  assert.equal(code, 1);
  assert.match(stderr, /No session could be read from .*foreign\.db\. Restore a backup\./);
  const cut = join(directory, "cut.db");
  writeFileSync(cut, readFileSync(whole).subarray(0, 20 * pageSize + 100));
  const { documents } = salvage(cut, undefined);
  assert.ok(documents.length > 0);
});
