import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { noMounts, readOnlyPlace, smallDisk } from "../../../test/support/mounts.ts";
import { startProgram } from "../../../test/support/processes.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { HoldfastError } from "../../errors.ts";
import { addLines } from "./edit.ts";
import { locateNotes, notesFolder } from "./file.ts";
import { lintProject } from "./lint.ts";
import { parseNotes, rowsOf } from "./notes.ts";
import { initProject, openProject } from "./project.ts";
import { callOperation, makeProject, seedNotes, writeInto } from "./test-support/project.ts";

test("writers in several processes lose nothing and use no id twice [project.writers]", async () => {
  const { root, project, read } = makeProject();
  const programs = ["a", "b", "c"].map((name) => startProgram("notes-writer.ts", { root, name, count: 12 }));
  for (let index = 0; index < 12; index++)
    await callOperation(project, "log_entry", { kind: "goal", text: `Goal number ${index}.` });
  for (const program of programs) assert.equal((await program.ended).code, 0);
  const rows = rowsOf(parseNotes(read()), "debt");
  assert.equal(rows.length, 36);
  assert.equal(new Set(rows.map(({ values }) => values.id)).size, 36);
  assert.equal(new Set(rows.map(({ values }) => values.description)).size, 36);
  assert.equal(read().match(/- \[ \] Goal number/g)?.length, 12);
  assert.deepEqual((await lintProject(project)).findings, []);
});

test("text that an editor saves while a change is planned stays, and the change is planned again [project.writers]", () => {
  const { project, read, write } = makeProject({ notes: seedNotes });
  let plans = 0;
  const change = (times: number) =>
    project.change((notes) => {
      plans++;
      if (plans <= times) write(`${read()}\nSaved ${plans}\n`);
      return { edits: [addLines(notes, "goals", ["- [ ] Planned"])], result: plans };
    });
  assert.equal(change(2), 3);
  assert.equal(read().match(/^Saved \d$/gm)?.length, 2);
  assert.equal(read().match(/^- \[ \] Planned$/gm)?.length, 1);
  plans = 0;
  assert.throws(() => change(100), { code: "conflict" });
  assert.equal(read().match(/^- \[ \] Planned$/gm)?.length, 1);
  assert.deepEqual(readdirSync(dirname(project.file.path)), ["NOTES.md"]);
});

test("a killed writer leaves the old or the new file, and no lock [project.kill]", async () => {
  const { root, project, read } = makeProject();
  let acknowledged = 0;
  for (const after of [1, 2, 3]) {
    const program = startProgram("notes-writer.ts", { root, name: `k${after}`, count: 1_000 });
    await new Promise<void>((resolve) => {
      program.onLine(() => {
        acknowledged++;
        if (program.lines.length >= after) resolve();
      });
    });
    program.process.kill("SIGKILL");
    await program.ended;
    const rows = rowsOf(parseNotes(read()), "debt");
    for (const line of program.lines)
      assert.ok(
        rows.some(({ values }) => values.id === line.split(" ")[2]),
        line,
      );
    assert.deepEqual((await lintProject(project)).findings, []);
  }
  const { id } = await callOperation(project, "log_entry", { kind: "debt", text: "after them all" });
  assert.ok(Number(id?.slice(3)) > acknowledged);
});

test("links and paths outside the project are refused, and nothing is written there [project.places]", async () => {
  const outside = temporaryDirectory();
  writeInto(outside, "NOTES.md", seedNotes);
  for (const path of ["../NOTES.md", join(outside, "NOTES.md"), "a/../../x", "..", "", "a\u0000b", "."])
    assert.throws(() => locateNotes(temporaryDirectory(), path), { code: "invalid_input" }, path);
  const sibling = temporaryDirectory();
  assert.throws(() => locateNotes(sibling, `${sibling}-too/NOTES.md`), { code: "invalid_input" });
  const linkedFile = temporaryDirectory();
  mkdirSync(join(linkedFile, "grimoires/loa"), { recursive: true });
  symlinkSync(join(outside, "NOTES.md"), join(linkedFile, "grimoires/loa/NOTES.md"));
  const linkedParent = temporaryDirectory();
  mkdirSync(join(linkedParent, "grimoires"));
  symlinkSync(outside, join(linkedParent, "grimoires/loa"));
  const linkedAbove = temporaryDirectory();
  symlinkSync(outside, join(linkedAbove, "grimoires"));
  const linkedInside = temporaryDirectory();
  mkdirSync(join(linkedInside, "real"));
  symlinkSync(join(linkedInside, "real"), join(linkedInside, "docs"));
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "grimoires/loa/NOTES.md"), { recursive: true });
  for (const [root, path] of [
    [linkedFile],
    [linkedParent],
    [linkedAbove],
    [linkedInside, "docs/NOTES.md"],
    [directory],
  ]) {
    const project = openProject({ root: root ?? "", path });
    await assert.rejects(
      callOperation(project, "recover_context", {}),
      (error: Error & { code?: string }) => {
        assert.ok(["invalid_input", "not_found"].includes(error.code ?? ""), error.message);
        return true;
      },
    );
    assert.throws(() => initProject(project), { code: "invalid_input" }, root);
    await assert.rejects(callOperation(project, "log_entry", { kind: "goal", text: "escape" }), {
      code: "invalid_input",
    });
  }
  assert.equal(readFileSync(join(outside, "NOTES.md"), "utf8"), seedNotes);
  assert.deepEqual(readdirSync(outside), ["NOTES.md"]);
  assert.deepEqual(readdirSync(join(linkedInside, "real")), []);
});

test("swapping a directory for a link during a write never writes outside the project [project.places]", async () => {
  const { root, project } = makeProject({ notes: seedNotes, path: "docs/NOTES.md" });
  const outside = temporaryDirectory();
  writeInto(root, "docs/NOTES.md", seedNotes);
  writeInto(outside, "NOTES.md", "not ours\n");
  const swapper = `
    const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const [docs, away, outside] = process.argv.slice(1);
    console.log("ready");
    const swap = () => {
      for (let round = 0; round < 200; round++) {
        renameSync(docs, away);
        symlinkSync(outside, docs);
        unlinkSync(docs);
        renameSync(away, docs);
      }
      setImmediate(swap);
    };
    swap();`;
  const docs = join(root, "docs");
  const child = spawn(process.execPath, ["--eval", swapper, docs, join(root, "away"), outside]);
  await once(child.stdout, "data");
  let written = 0;
  let refused = 0;
  for (let index = 0; index < 300; index++) {
    try {
      await callOperation(project, "log_entry", { kind: "goal", text: `Goal of round ${index}.` });
      written++;
    } catch (error) {
      assert.ok(error instanceof HoldfastError, String(error));
      refused++;
    }
  }
  child.kill("SIGKILL");
  await once(child, "close");
  assert.equal(written + refused, 300);
  assert.deepEqual(readdirSync(outside), ["NOTES.md"]);
  assert.equal(readFileSync(join(outside, "NOTES.md"), "utf8"), "not ours\n");
});

test("the file is at its default path, is created for its owner only, and keeps its mode [project.place]", async () => {
  const root = temporaryDirectory();
  const project = openProject({ root });
  assert.equal(project.file.name, "grimoires/loa/NOTES.md");
  initProject(project);
  assert.equal(statSync(project.file.path).mode & 0o777, 0o600);
  assert.equal(statSync(join(root, "grimoires/loa")).mode & 0o777, 0o700);
  assert.throws(() => initProject(project), { code: "conflict" });
  chmodSync(project.file.path, 0o644);
  await callOperation(project, "log_entry", { kind: "goal", text: "keep the mode" });
  assert.equal(statSync(project.file.path).mode & 0o777, 0o644);
  assert.equal(statSync(notesFolder(project.file.root)).mode & 0o777, 0o700);
  assert.equal(openProject({ root, path: "docs/MEMORY.md" }).file.name, "docs/MEMORY.md");
  assert.equal(openProject({ root, path: join(root, "docs/MEMORY.md") }).file.name, "docs/MEMORY.md");
});

test("a full disk is reported, leaves the file unchanged, and writes work again once there is space [project.bad-files]", (t) => {
  const reason = noMounts();
  if (reason) return t.skip(reason);
  const command = `"${process.execPath}" "${join(import.meta.dirname, "../../cli.ts")}" project`;
  for (const place of ["project", "state"] as const) {
    const [root, state] = [temporaryDirectory(), temporaryDirectory()];
    const disk = place === "project" ? root : state;
    const script = [
      `cd "${root}" && ${command} init && cp grimoires/loa/NOTES.md before`,
      `head -c 200000 /dev/zero > "${disk}/ballast"`,
      `${command} log debt "on a full disk"`,
      `cmp before grimoires/loa/NOTES.md && echo same && rm "${disk}/ballast"`,
      `${command} log debt "with room again"`,
    ].join("; ");
    const [program = "", ...rest] = smallDisk(disk, 64);
    const env = { ...process.env, XDG_STATE_HOME: state };
    const { stdout, stderr } = spawnSync(program, [...rest, "sh", "-c", script], { encoding: "utf8", env });
    assert.match(stderr, /disk is full\. Nothing was changed; free some disk space\./, place);
    assert.match(stdout, /same\nLogged TD-001 on line \d+\./, place);
  }
});

test("a read-only file is not replaced, and can be read [project.bad-files]", async () => {
  const { project, call, log } = makeProject({ notes: seedNotes });
  chmodSync(project.file.path, 0o444);
  await assert.rejects(log("goal", "x"), /is read-only\. Nothing was changed/);
  assert.equal(readFileSync(project.file.path, "utf8"), seedNotes);
  assert.match((await call("recover_context", {})).text, /Token Expiry/);
  chmodSync(project.file.path, 0o644);
  assert.match((await log("goal", "x")).text, /Added/);
});

test("a file that is not text or not writable is refused and left unchanged [project.bad-files]", async (t) => {
  const bytes = Buffer.concat([Buffer.from(seedNotes), Buffer.from([0xff, 0xfe, 0x0a])]);
  const { root, project, call, log } = makeProject({ notes: bytes });
  await assert.rejects(log("goal", "x"), /not valid UTF-8 on line \d+/);
  assert.deepEqual(readFileSync(project.file.path), bytes);
  assert.match((await call("recover_context", {})).text, /Token Expiry/);
  const reason = noMounts();
  if (reason) return t.skip(reason);
  const program = startProgram("notes-writer.ts", { root, name: "n", count: 1 }, readOnlyPlace(root));
  const { code, errors } = await program.ended;
  assert.equal(code, 1);
  assert.match(errors, /Nothing was changed/);
  assert.deepEqual(readFileSync(project.file.path), bytes);
});
