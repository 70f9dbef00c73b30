import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { foreignLines } from "../engine/origins.ts";
import { renderMemory } from "../hosts/hook/memory-text.ts";
import type { Session } from "./session.ts";

const byPerson = { actor: { kind: "person" as const } };
const byChild = { actor: { kind: "sub-session" as const, name: "s.1" } };

async function origins(session: Session): Promise<string[]> {
  const lines = foreignLines(await session.state(), "notepad");
  return lines.map(({ from, to, by }) => `${from}-${to} ${by}`);
}

test("each line of the notepad keeps who wrote it, through edits, undo, forks and reopening [trust.origin]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write("plan\nstep 1\nstep 2");
  assert.deepEqual(await origins(session), []);
  assert.equal(
    (await session.state()).resident.has("origin/notepad"),
    false,
    "nothing is kept of the agent's own",
  );
  const write = (content: string, options: typeof byPerson | typeof byChild) =>
    session.apply({ type: "notepad.write", content }, options);
  await write("plan\ndo this first\nand this\nstep 1\nstep 2", byPerson);
  assert.deepEqual(await origins(session), ["2-3 person"]);
  await session.notepad.append("found by me");
  await session.apply({ type: "notepad.append", content: "found by a child" }, byChild);
  assert.deepEqual(await origins(session), ["2-3 person", "7-7 sub-session"]);
  const fork = await memory.forkSession("s", { id: "f" });
  assert.deepEqual(await origins(fork), ["2-3 person", "7-7 sub-session"]);
  // The agent rewrites a line of the person: it is its own now.
  await session.notepad.replace("do this first", "done");
  assert.deepEqual(await origins(session), ["3-3 person", "7-7 sub-session"]);
  await session.undo((await session.state()).row.revision);
  assert.equal(await session.notepad.read(), await fork.notepad.read());
  await session.notepad.write("all mine");
  assert.deepEqual(await origins(session), []);
  await memory.close();
});

test("lines by others are named above the notepad, which stays as it is [trust.origin]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write("mine");
  const before = (await session.context()).system;
  await session.apply({ type: "notepad.append", content: "theirs" }, byPerson);
  const line = "[Origin of the notepad: line 2 by a person, the rest by the agent]";
  const context = await session.context();
  assert.ok(!before.includes("[Origin"));
  assert.ok(context.system.endsWith(`${line}\n\n## Session Notepad\nmine\ntheirs`), context.system);
  const shown = renderMemory({ lead: "", state: await session.state(), sessionId: "s" }).text;
  assert.ok(shown.includes(`${line}\n\n## Session Notepad\nmine\ntheirs\n[End of notepad]`), shown);
  await memory.close();
});

test("the scratchpad names the lines of others, and a note by another names its author [trust.origin]", async () => {
  const memory = await openTestMemory({ surfaces: ["notes", "scratchpad"] });
  const session = await memory.createSession({ id: "s" });
  await session.scratchpad.setPlan("- [ ] mine");
  const plain = (await session.context()).message;
  assert.ok(!plain.includes("[Origin"));
  await session.scratchpad.setPlan("- [ ] mine\n- [ ] theirs", byPerson);
  const line = "[Origin of the plan: line 2 by a person, the rest by the agent]";
  assert.ok((await session.context()).message.includes(`${line}\n\n[Session Scratchpad]\n`));
  const shown = renderMemory({ lead: "", state: await session.state(), sessionId: "s" }).text;
  assert.ok(shown.includes(`${line}\n\n[Session Scratchpad]\n`), shown);

  await session.scratchpad.addRef("src/own.ts");
  await session.scratchpad.addRef("src/theirs.ts", byPerson);
  await session.scratchpad.addRef("src/child.ts", byChild);
  const refs = async () => /\[Origin of the references: (.+)\]/.exec((await session.context()).message)?.[1];
  assert.equal(await refs(), "number 2 by a person, number 3 by a sub-session, the rest by the agent");
  assert.match(
    renderMemory({ lead: "", state: await session.state(), sessionId: "s" }).text,
    /\[Origin of the references: number 2 by a person/,
  );
  // A known reference keeps its author, also in another place of a list that someone else sets.
  await session.scratchpad.setRefs(["src/theirs.ts", "src/new.ts", "src/own.ts"]);
  assert.equal(await refs(), "number 1 by a person, the rest by the agent");
  const fork = await memory.forkSession("s", { id: "f" });
  assert.match((await fork.context()).message, /\[Origin of the references: number 1 by a person/);
  await session.scratchpad.removeRef("src/theirs.ts");
  assert.equal(await refs(), undefined);
  await session.undo((await session.state()).row.revision, byPerson);
  assert.equal(await refs(), "number 1 by a person, the rest by the agent");

  const { result: own } = await session.notes.add("mine");
  const { result: theirs } = await session.notes.add("theirs", ["a"], byPerson);
  await session.notes.add("a child's", [], byChild);
  const written = async () => {
    const answer = await session.call("list_notes", {});
    assert.ok(answer.ok);
    const { notes } = answer.output as { notes: { content: string; written_by?: string }[] };
    return Object.fromEntries(notes.map(({ content, written_by }) => [content, written_by]));
  };
  assert.deepEqual(await written(), {
    mine: undefined,
    theirs: "a person",
    "a child's": "a sub-session",
  });
  // New tags leave the author, new content has a new one.
  await session.notes.update(theirs.note.id, { tags: ["b"] });
  await session.notes.update(own.note.id, { content: "changed by a person" }, byPerson);
  assert.deepEqual(await written(), {
    "changed by a person": "a person",
    theirs: "a person",
    "a child's": "a sub-session",
  });
  await session.notes.update(theirs.note.id, { content: "the agent's now" });
  assert.equal((await written())["the agent's now"], undefined);
  await memory.close();
});

test("an imported session is marked where it is shown [trust.origin]", async () => {
  const memory = await openTestMemory();
  await (await memory.createSession({ id: "s" })).notepad.write("from elsewhere");
  const exported = await memory.exportSession("s");
  const other = await openTestMemory();
  const session = await other.importSession(exported);
  assert.match((await session.context()).system, /\[Origin of the notepad: this session was imported\]/);
  const drawn = await openTestMemory({ surfaces: ["scratchpad"] });
  const copy = await drawn.importSession(exported);
  await copy.scratchpad.setPlan("- [ ] go on");
  assert.match((await copy.context()).message, /\[Origin of the scratchpad: this session was imported\]/);
  await drawn.close();
  await memory.close();
  await other.close();
});
