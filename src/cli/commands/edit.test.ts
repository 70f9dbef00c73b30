import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith, scriptedEditor } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

/** A store with the session "s" and this notepad. */
async function storeWith(notepad: string): Promise<{ HOLDFAST_DB: string }> {
  const store = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store });
  const session = await memory.createSession({ id: "s" });
  if (notepad !== "") await session.notepad.write(notepad);
  await memory.close();
  return { HOLDFAST_DB: store };
}

async function read({ HOLDFAST_DB }: { HOLDFAST_DB: string }) {
  const memory = await openTestMemory({ store: HOLDFAST_DB });
  const session = await memory.resumeSession("s");
  const [newest] = await session.history({ limit: 1 });
  const state = {
    notepad: await session.notepad.read(),
    plan: (await session.scratchpad.read()).plan,
    revision: newest?.revision,
    actor: newest?.actor.kind,
  };
  await memory.close();
  return state;
}

/** The file that, according to the message, has the text. */
function keptFile(stderr: string): string {
  return /kept in (\S+)\s*$/.exec(stderr)?.[1] ?? assert.fail(stderr);
}

test("text is edited in $EDITOR with its arguments and saved as written by a person [people.edit]", async () => {
  const store = await storeWith("one\ntwo");
  const editor = scriptedEditor(
    `if (process.argv.at(-2) !== "--wait") process.exit(3); appendFileSync(path, "three; $(touch x) \`y\`\\n")`,
  );
  const { code, stdout, stderr } = await holdfastWith({ ...store, ...editor }, "edit", "s");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Saved the notepad of s as revision 3\./);
  // The newline that editors add at the end is not part of the text.
  assert.deepEqual(await read(store), {
    notepad: "one\ntwo\nthree; $(touch x) `y`",
    plan: "",
    revision: 3,
    actor: "person",
  });
});

test("an editor may have spaces in its path [people.edit]", async () => {
  const store = await storeWith("one");
  const script = join(temporaryDirectory(), "my editor");
  writeFileSync(script, '#!/bin/sh\necho two > "$1"\n', { mode: 0o755 });
  const { code, stderr } = await holdfastWith({ ...store, EDITOR: script }, "edit", "s");
  assert.equal(code, 0, stderr);
  assert.equal((await read(store)).notepad, "two");
});

test("$VISUAL comes before $EDITOR, and --space names the plan [people.edit]", async () => {
  const store = await storeWith("");
  const { EDITOR } = scriptedEditor(`writeFileSync(path, "- [ ] ship\\n")`);
  const { code, stdout } = await holdfastWith(
    { ...store, VISUAL: EDITOR, EDITOR: "false" },
    "edit",
    "--space",
    "plan",
    "--json",
  );
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    session: "s",
    space: "plan",
    changed: true,
    merged: false,
    revision: 2,
  });
  assert.equal((await read(store)).plan, "- [ ] ship");
});

test("no space is truncated: text over a limit of characters or tokens is rejected [people.edit-kept]", async () => {
  const store = await storeWith("");
  const before = await read(store);
  for (const [space, text, problem] of [
    ["notes", "n".repeat(4_001), /The notes would be 4001 characters long\. The limit is 4000/],
    ["plan", "p".repeat(2_001), /The plan would be 2001 characters long\. The limit is 2000/],
    ["notes", "字".repeat(4_000), /The scratchpad would take \d+ tokens; the limit is 2000\./],
  ] as const) {
    const editor = scriptedEditor(`writeFileSync(path, ${JSON.stringify(text)})`);
    const { code, stderr } = await holdfastWith({ ...store, ...editor }, "edit", "--space", space);
    assert.equal(code, 1, space);
    assert.match(stderr, problem);
    assert.equal(readFileSync(keptFile(stderr), "utf8"), text);
    assert.deepEqual(await read(store), before);
  }
});

test("changes the agent makes meanwhile are merged, and CRLF is kept [people.edit-merge]", async () => {
  const store = await storeWith("top\r\nport 80\r\nend");
  const editor = scriptedEditor(`
    await asAgent(async (session) => {
      await session.notepad.append("found by the agent");
      await session.notes.add("a note");
    });
    writeFileSync(path, readFileSync(path, "utf8").replace("port 80", "port 81"));`);
  const { code, stdout, stderr } = await holdfastWith({ ...store, ...editor }, "edit");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /merged with changes made meanwhile/);
  assert.equal((await read(store)).notepad, "top\r\nport 81\r\nend\nfound by the agent");
});

test("while two agents keep writing, no line is lost [people.edit-merge]", async () => {
  const store = await storeWith("# Top\n- first");
  const memories = await Promise.all(["a", "b"].map(() => openTestMemory({ store: store.HOLDFAST_DB })));
  let saved = false;
  const edit = holdfastWith(
    {
      ...store,
      ...scriptedEditor(`writeFileSync(path, readFileSync(path, "utf8").replace("# Top", "# By hand"))`),
    },
    "edit",
  ).finally(() => {
    saved = true;
  });
  const written = await Promise.all(
    memories.map(async (memory, agent) => {
      const session = await memory.resumeSession("s");
      const lines: string[] = [];
      while (!saved || lines.length < 5) {
        lines.push(`- agent ${agent}, line ${lines.length}`);
        await session.notepad.append(lines.at(-1) ?? "");
        await new Promise((proceed) => setImmediate(proceed));
        if (lines.length > 400) break;
      }
      await memory.close();
      return lines;
    }),
  );
  const { code, stderr } = await edit;
  assert.equal(code, 0, stderr);
  const { notepad } = await read(store);
  assert.ok(notepad.startsWith("# By hand\n- first\n- agent"), notepad.slice(0, 80));
  assert.deepEqual(notepad.split("\n").slice(2).sort(), written.flat().sort());
});

test("two edits of one line are never resolved silently: both are kept between markers that name the writers [people.edit-conflict]", async () => {
  const store = await storeWith("top\nport 80\nend");
  const editor = scriptedEditor(`
    await asAgent((session) => session.notepad.replace("80", "90"));
    writeFileSync(path, readFileSync(path, "utf8").replace("80", "81"));`);
  const { code, stdout, stderr } = await holdfastWith({ ...store, ...editor }, "edit");
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /You and agent, revision 3 changed the same lines of the notepad\. Nothing was changed\./,
  );
  assert.equal(
    readFileSync(keptFile(stderr), "utf8"),
    "top\n<<<<<<< you\nport 81\n||||||| before, revision 2\nport 80\n=======\nport 90\n>>>>>>> agent, revision 3\nend\n",
  );
  assert.equal((await read(store)).notepad, "top\nport 90\nend");
});

test("at a terminal the editor opens again for every conflict [people.edit-conflict]", async () => {
  const store = await storeWith("top\nport 80\nend");
  const seen = join(temporaryDirectory(), "seen");
  const editor = scriptedEditor(`
    const text = readFileSync(path, "utf8");
    appendFileSync(${JSON.stringify(seen)}, text + "#\\n");
    const round = readFileSync(${JSON.stringify(seen)}, "utf8").split("#\\n").length - 1;
    if (round === 1) {
      await asAgent((session) => session.notepad.replace("80", "90"));
      writeFileSync(path, text.replace("80", "81"));
    } else if (round === 2) {
      await asAgent((session) => session.notepad.replace("90", "91"));
      writeFileSync(path, "top\\nport 81 or 90\\nend\\n");
    } else writeFileSync(path, "top\\nport 81 or 91\\nend\\n");`);
  const { code, stdout, stderr } = await holdfastWith({ ...store, ...editor, TEST_TERMINAL: "1" }, "edit");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /as revision 5/);
  const [, second = "", third = ""] = readFileSync(seen, "utf8").split("#\n");
  assert.match(second, /<<<<<<< you\nport 81\n.*\nport 80\n=======\nport 90\n>>>>>>> agent, revision 3\n/);
  assert.match(
    third,
    /<<<<<<< you\nport 81 or 90\n.*\nport 90\n=======\nport 91\n>>>>>>> agent, revision 4\n/,
  );
  assert.equal((await read(store)).notepad, "top\nport 81 or 91\nend");
  const careless = scriptedEditor(`
    if (!readFileSync(path, "utf8").includes("<<<<<<< you")) {
      await asAgent((session) => session.notepad.append("agent"));
      appendFileSync(path, "person\\n");
    }`);
  const left = await holdfastWith({ ...store, ...careless, TEST_TERMINAL: "1" }, "edit");
  assert.equal(left.code, 1);
  assert.match(readFileSync(keptFile(left.stderr), "utf8"), /<<<<<<< you\nperson\n/);
  assert.equal((await read(store)).notepad, "top\nport 81 or 91\nend\nagent");
});

test("if the editor fails or the text is rejected, it is kept in a private file and the message names the file [people.edit-kept]", async () => {
  const cases = [
    [`writeFileSync(path, "my words\\n"); process.exit(7)`, /exited with code 7/, "my words\n"],
    [
      `writeFileSync(path, "x".repeat(40000))`,
      /would be 40000 characters long; the limit is 32000/,
      "x".repeat(40_000),
    ],
    [`writeFileSync(path, "a\\0b")`, /NUL character/, "a\0b"],
    [`writeFileSync(path, Buffer.from([0x66, 0xff]))`, /not UTF-8/, "f\ufffd"],
    [
      `writeFileSync(path, "my words"); await asAgent((session) => session.notepad.write("theirs"))`,
      /changed the same lines/,
      "<<<<<<< you\nmy words\n||||||| before, revision 2\nbefore\n=======\ntheirs\n>>>>>>> agent, revision 3\n",
    ],
  ] as const;
  await Promise.all(
    cases.map(async ([script, message, text]) => {
      const store = await storeWith("before");
      const { code, stderr } = await holdfastWith({ ...store, ...scriptedEditor(script) }, "edit");
      assert.equal(code, 1, stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /^\s+at /m);
      const file = keptFile(stderr);
      assert.equal(readFileSync(file, "utf8"), text);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
    }),
  );
});

test("if nothing was edited, nothing is changed and no file is left behind [people.edit-kept]", async () => {
  const store = await storeWith("before");
  const marker = join(temporaryDirectory(), "path");
  const quiet = await holdfastWith(
    { ...store, ...scriptedEditor(`writeFileSync(${JSON.stringify(marker)}, path)`) },
    "edit",
  );
  assert.equal(quiet.code, 0);
  assert.match(quiet.stdout, /Nothing was changed/);
  assert.ok(!existsSync(dirname(readFileSync(marker, "utf8"))));
  const missing = await holdfastWith({ ...store, EDITOR: "no-such-editor-here" }, "edit");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /"no-such-editor-here" exited with code 127\. Set \$VISUAL or \$EDITOR/);
  const gone = await holdfastWith({ ...store, ...scriptedEditor("rmSync(path)") }, "edit");
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /The edited file is gone\. Nothing was changed\./);
  assert.equal((await read(store)).revision, 2);
});
