import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Json } from "../engine/json.ts";
import { openMemory } from "../index.ts";
import type { EditConflict, Reply } from "./api.ts";

test("lists sessions page by page, roots and children apart, with plan and state [serve.sessions]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const root = await memory.createSession({ id: "root", title: "The root" });
  await root.notepad.write("- [x] one\n- [ ] two");
  await root.notes.add("a note", ["one", "two"]);
  await memory.spawnSession("root", { id: "child-a" });
  await memory.forkSession("root", { id: "child-b" });
  await memory.spawnSession("child-a", { id: "grandchild" });
  await root.apply({
    type: "children.set",
    id: "child-a",
    child: { task: "count", kind: "spawn", status: "running", result: "", tokens: 12 },
  });

  const roots = await call(server, "listSessions", { query: { parent: "none" } });
  assert.deepEqual(
    roots.sessions.map(({ id, children, title, state }) => ({ id, children, title, state })),
    [{ id: "root", children: 2, title: "The root", state: "working" }],
  );
  const [first] = roots.sessions;
  assert.deepEqual(
    [first?.plan, first?.window, first?.last, first?.attention, first?.revision],
    [{ done: 1, total: 2 }, null, null, [], (await root.state()).row.revision],
  );
  const children = await call(server, "listSessions", { query: { parent: "root" } });
  assert.deepEqual(children.sessions.map(({ id, parent }) => [id, parent]).sort(), [
    ["child-a", "root"],
    ["child-b", "root"],
  ]);
  const delegated = children.sessions.find(({ id }) => id === "child-a")?.delegated;
  assert.deepEqual(delegated, { task: "count", kind: "spawn", status: "running", result: "", tokens: 12 });

  const seen: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Reply<"listSessions"> = await call(server, "listSessions", { query: { offset, limit: 3 } });
    assert.equal(page.total, 4);
    assert.ok(page.sessions.length <= 3);
    seen.push(...page.sessions.map(({ id }) => id));
    offset = page.nextOffset;
  }
  assert.deepEqual(seen.toSorted(), ["child-a", "child-b", "grandchild", "root"]);
});

test("archives and deletes a session reversibly and keeps its children in the tree [serve.status]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("kept");
  await memory.spawnSession("a", { id: "b" });
  const list = async (status: "active" | "archived" | "deleted" | "all", parent?: string) =>
    (await call(server, "listSessions", { query: { status, ...(parent ? { parent } : {}) } })).sessions.map(
      ({ id }) => id,
    );

  const archived = await call(server, "setStatus", { params: { id: "a" }, body: { status: "archived" } });
  assert.equal(archived.before, "active");
  assert.deepEqual(await list("archived"), ["a"]);
  assert.deepEqual(await list("active", "none"), ["b"], "a child of a hidden parent is a root");
  const deleted = await call(server, "setStatus", { params: { id: "a" }, body: { status: "deleted" } });
  assert.equal(deleted.before, "archived");
  assert.deepEqual(await list("deleted"), ["a"]);
  await refused(server, "session", { params: { id: "a" } }, 404);
  await call(server, "setStatus", { params: { id: "a" }, body: { status: deleted.before } });
  await call(server, "setStatus", { params: { id: "a" }, body: { status: archived.before } });
  assert.equal((await call(server, "session", { params: { id: "a" } })).notepad.text, "kept");
  assert.equal((await session.history({ limit: 1 }))[0]?.actor.kind, "person");
  await refused(server, "setStatus", { params: { id: "unknown" }, body: { status: "archived" } }, 404);
});

test("searches the notes, notepads, plans and titles of all sessions [serve.search]", async (context) => {
  const { server, memory } = await startTestServer(context);
  for (let number = 0; number < 130; number++) {
    const session = await memory.createSession({
      id: `s${number}`,
      title: number === 3 ? "Needle work" : "Other",
    });
    if (number === 5) await session.notes.add("a NEEDLE in a note", ["hay"]);
    if (number === 7) await session.notepad.write(`${"hay ".repeat(500)}needle\n${"hay ".repeat(500)}`);
    if (number === 129) await session.scratchpad.setPlan("find the needle");
  }
  const { hits, searched, sessions } = await call(server, "search", { query: { q: "needle" } });
  assert.deepEqual([searched, sessions], [130, 130]);
  assert.deepEqual(hits.map(({ sessionId, kind }) => `${sessionId} ${kind}`).toSorted(), [
    "s129 plan",
    "s3 title",
    "s5 note",
    "s7 notepad",
  ]);
  for (const { excerpt, at, length } of hits) {
    assert.equal(excerpt.slice(at, at + length).toLowerCase(), "needle");
    assert.ok(excerpt.length <= 240);
  }
});

test("the state of a session follows its turn: open, with a tool call, in a warning turn, answered, left [serve.sessions]", async (context) => {
  let now = 1_000_000;
  const memory = await openMemory({ store: "memory:", clock: () => now });
  const { server } = await startTestServer(context, { memory });
  const session = await memory.createSession({ id: "a" });
  const states: string[] = [];
  const say = async (role: string, content: Json, inWarning = false) => {
    const message = { message: { role, content }, at: now, ...(inWarning ? { inWarning } : {}) };
    await session.apply({ type: "messages.add", messages: [message] });
    states.push((await call(server, "session", { params: { id: "a" } })).session.state);
  };
  await say("user", "Audit the workbook.");
  const tool = { toolName: "read_sheet", toolCallId: "1" };
  await say("assistant", [{ type: "tool-call", ...tool, input: {} }]);
  await say("tool", [{ type: "tool-result", ...tool, output: { type: "text", value: "rows" } }]);
  await say("assistant", "The notepad is up to date.", true);
  await say("assistant", "Q3 is too high.");
  assert.deepEqual(states, ["working", "working", "working", "working", "waiting"]);
  now += 3_600_000;
  assert.equal((await call(server, "session", { params: { id: "a" } })).session.state, "quiet");
});

test("returns a session's memory with stale references, tasks and limits [serve.memory] [trust.origin]", async (context) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "src"));
  writeFileSync(join(directory, "src/here.ts"), "");
  const { server, memory } = await startTestServer(context, { projectDirectory: directory });
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("- one\n😀");
  await session.scratchpad.setPlan("1. look");
  const refs = [
    "src/here.ts:12",
    "src/gone.ts",
    "https://example.org/x.ts",
    "/etc/passwd",
    "../outside.ts",
    "issue 7",
  ];
  await session.scratchpad.setRefs(refs);
  await session.apply({ type: "tasks.begin", description: "count the rows" });
  const shown = await call(server, "session", { params: { id: "a" } });
  assert.deepEqual(
    shown.refs.map(({ state }) => state),
    ["present", "stale", "unchecked", "unchecked", "unchecked", "unchecked"],
  );
  assert.deepEqual(
    shown.tasks.map(({ id, description, depth }) => [id, description, depth]),
    [["task_1", "count the rows", 1]],
  );
  assert.deepEqual([shown.notepad.text, shown.plan.text], ["- one\n😀", "1. look"]);
  assert.deepEqual([shown.notepad.authors, shown.notepad.hidden, shown.newest], [[], null, shown.revision]);
  const byPerson = { actor: { kind: "person" as const } };
  await session.apply({ type: "notepad.append", content: "by hand" }, byPerson);
  await session.notes.add("by hand", [], byPerson);
  const later = await call(server, "session", { params: { id: "a" } });
  assert.deepEqual(later.notepad.authors, [{ from: 3, to: 3, by: "person" }]);
  const { notes } = await call(server, "notes", { params: { id: "a" }, query: {} });
  assert.equal(notes[0]?.by, "person");
  assert.deepEqual(shown.limits, { notepad: 32_000, notes: 4_000, plan: 2_000 });
  assert.deepEqual(
    later.session.attention.map(({ kind }) => kind),
    ["reference"],
  );
  await session.scratchpad.setPlan("x".repeat(1_800));
  const [full] = (await call(server, "session", { params: { id: "a" } })).session.attention;
  assert.equal(
    full?.text,
    "Plan 90 % full. When it is full: Holdfast cuts a new plan to fit. The rest stays in the history.",
  );
  await call(server, "edit", { params: { id: "a" }, body: { type: "ref.remove", ref: "src/gone.ts" } });
  await call(server, "edit", { params: { id: "a" }, body: { type: "ref.add", ref: "src/new.ts" } });
  assert.deepEqual((await session.scratchpad.read()).refs.slice(-2), ["issue 7", "src/new.ts"]);
  await refused(server, "session", { params: { id: "unknown" } }, 404);
});

test("merges a person's edit with the agent's concurrent writes; a conflict returns both sides [serve.edit]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  await session.notepad.write("# Plan\n- one\n- two\n\n# Findings\n- none");
  const base = await session.notepad.read();
  const params = { id: "a" };
  const edit = (from: string, text: string) => ({
    type: "text" as const,
    name: "notepad" as const,
    base: from,
    text,
  });

  await session.notepad.replace("- none", "- Q3 is off");
  const mine = base.replace("- one", "- [x] one");
  const saved = await call(server, "edit", { params, body: edit(base, mine) });
  assert.equal(saved.text, "# Plan\n- [x] one\n- two\n\n# Findings\n- Q3 is off");
  assert.equal(saved.merged, true);
  assert.equal(await session.notepad.read(), saved.text);
  const [entry] = await session.history({ limit: 1 });
  assert.deepEqual([entry?.actor.kind, entry?.revision], ["person", saved.revision]);

  const before = await session.state();
  const theirs = base.replace("- one", "- uno");
  const answer = await refused(server, "edit", { params, body: edit(base, theirs) }, 409);
  const { conflict } = answer as EditConflict;
  assert.equal(answer.error.code, "conflict");
  assert.deepEqual([conflict.mine, conflict.theirs, conflict.base], [theirs, saved.text, base]);
  assert.equal(conflict.revision, before.row.revision);
  const clash = conflict.regions.filter(({ kind }) => kind === "conflict");
  assert.deepEqual(
    clash.map(({ mine: own, theirs: other }) => [own, other]),
    [["- uno", "- [x] one"]],
  );
  assert.equal((await session.state()).row.revision, before.row.revision, "nothing was saved");

  const decided = conflict.theirs.replace("- [x] one", "- [x] uno");
  const next = await call(server, "edit", { params, body: edit(conflict.theirs, decided) });
  assert.deepEqual([next.text, next.merged], [decided, false]);
  const same = await call(server, "edit", { params, body: edit(decided, decided) });
  assert.equal(same.revision, next.revision, "an edit without changes creates no revision");
  await call(server, "edit", { params, body: { type: "undo", revision: next.revision } });
  assert.equal(await session.notepad.read(), saved.text, "every edit can be undone");
});

test("a person edits while an agent writes: no edit of either is lost [serve.edit]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const top = Array.from({ length: 20 }, (_, line) => `person ${line}: -`).join("\n");
  await session.notepad.write(`${top}\n--- below is the agent's ---\nfirst`);
  const agent = (async () => {
    for (let line = 0; line < 40; line++) await session.notepad.append(`agent ${line}`);
  })();
  for (let line = 0; line < 20; line++) {
    const { notepad } = await call(server, "session", { params: { id: "a" } });
    const text = notepad.text.replace(`person ${line}: -`, `person ${line}: done`);
    const body = { type: "text" as const, name: "notepad" as const, base: notepad.text, text };
    await call(server, "edit", { params: { id: "a" }, body });
  }
  await agent;
  const end = await session.notepad.read();
  for (let line = 0; line < 20; line++) assert.ok(end.includes(`person ${line}: done`), end);
  for (let line = 0; line < 40; line++)
    assert.ok(end.includes(`agent ${line}\n`) || end.endsWith(`agent ${line}`), end);
});

test("rejects a text over its limit and never cuts it [serve.edit]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  for (const [name, length] of [
    ["notepad", 32_001],
    ["notes", 4_001],
    ["plan", 2_001],
  ] as const) {
    const params = { id: "a" };
    const edit = { type: "text" as const, name, base: "" };
    const words = (size: number) => "word ".repeat(size).slice(0, size);
    const { error } = await refused(server, "edit", { params, body: { ...edit, text: words(length) } }, 422);
    assert.equal(error.code, "over_limit");
    await call(server, "edit", { params, body: { ...edit, text: words(length - 1) } });
  }
  assert.equal((await session.notepad.read()).length, 32_000);
  assert.equal((await session.scratchpad.read()).plan.length, 2_000);
});

test("a person adds, finds, edits, merges and deletes notes [serve.notes]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const params = { id: "a" };
  const body = { type: "note.add" as const, content: "one\ntwo\nthree", tags: ["Old"] };
  const { note } = await call(server, "edit", { params, body });
  assert.ok(note);
  for (let number = 0; number < 5; number++) await session.notes.add(`agent's ${number}`, ["agent"]);
  const page = await call(server, "notes", { params, query: { limit: 4 } });
  assert.deepEqual([page.notes.length, page.total, page.nextOffset], [4, 6, 4]);
  assert.equal((await call(server, "notes", { params, query: { tag: ["old"] } })).total, 1);
  assert.deepEqual((await call(server, "notes", { params, query: { q: "TWO" } })).notes, [note]);
  assert.deepEqual((await call(server, "session", { params })).tags, [
    { tag: "agent", notes: 5 },
    { tag: "Old", notes: 1 },
  ]);

  await session.notes.update(note.id, { content: "one\ntwo\nTHREE", tags: ["Old", "theirs"] });
  const edit = { type: "note.edit" as const, note: note.id };
  const saved = await call(server, "edit", {
    params,
    body: { ...edit, base: note, content: "ONE\ntwo\nthree", tags: ["mine"] },
  });
  assert.deepEqual(
    [saved.note?.content, saved.note?.tags, saved.merged],
    ["ONE\ntwo\nTHREE", ["theirs", "mine"], true],
  );
  const clash = { ...edit, base: { content: note.content, tags: [] }, content: "1", tags: [] };
  const answer = await refused(server, "edit", { params, body: clash }, 409);
  assert.equal((answer as EditConflict).conflict.theirs, "ONE\ntwo\nTHREE");
  const drop = { type: "note.delete" as const, note: note.id };
  const removed = await call(server, "edit", { params, body: drop });
  await refused(server, "edit", { params, body: drop }, 404);
  await call(server, "edit", { params, body: { type: "undo", revision: removed.revision } });
  assert.equal((await call(server, "notes", { params, query: { q: "THREE" } })).total, 1);
});

test("a person pins and unpins over HTTP; the history names the author [pins.people]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const params = { id: "a" };
  const { pin } = await call(server, "edit", { params, body: { type: "pin", text: "Never push." } });
  await call(server, "edit", { params, body: { type: "pin", text: "Use tabs." } });
  assert.deepEqual((await call(server, "session", { params })).pins, [
    { id: pin, text: "Never push.", by: "person" },
    { id: "p2", text: "Use tabs.", by: "person" },
  ]);
  const unpin = { type: "unpin" as const, pin: pin ?? "" };
  const { revision } = await call(server, "edit", { params, body: unpin });
  await refused(server, "edit", { params, body: unpin }, 404);
  const { entries } = await call(server, "history", { params, query: { limit: 10 } });
  assert.deepEqual(
    entries.slice(0, 3).map(({ summary }) => summary),
    ["Unpinned p1", "Pinned: Use tabs.", "Pinned: Never push."],
  );
  await call(server, "edit", { params, body: { type: "undo", revision } });
  assert.equal((await session.pins.list()).length, 2);
});

test("a person's pin holds in the whole project, and can be undone there [pins.people] [pins.project]", async (context) => {
  const memory = await openMemory({ store: "memory:", project: "p" });
  const { server } = await startTestServer(context, { memory });
  const [here, open] = [await memory.createSession({ id: "a" }), await memory.createSession({ id: "b" })];
  const params = { id: here.id };
  await call(server, "edit", { params, body: { type: "pin", text: "Never push." } });
  const texts = async () => (await open.pins.list()).map(({ id, text }) => `${id} ${text}`);
  assert.deepEqual(await texts(), ["u1 Never push."]);
  const { session, revision } = await call(server, "edit", { params, body: { type: "unpin", pin: "u1" } });
  assert.deepEqual(await texts(), []);
  await call(server, "edit", { params: { id: session }, body: { type: "undo", revision } });
  assert.deepEqual(await texts(), ["u1 Never push."]);
});

test("rejects invalid requests with a reason and changes nothing [serve.refusals]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const session = await memory.createSession({ id: "a" });
  const send = async (body: string | Uint8Array<ArrayBuffer>, type = "application/json") => {
    const response = await fetch(new URL("/api/sessions/a/edits", server.url), {
      method: "POST",
      headers: { Authorization: `Bearer ${server.token}`, "Content-Type": type },
      body,
    });
    const answer = (await response.json()) as { error: { message: string } };
    return [response.status, answer.error.message] as const;
  };
  assert.deepEqual((await send("{"))[0], 400);
  assert.match((await send('{"type": "note.add", "content": 5}'))[1], /content/);
  assert.match((await send('{"type": "note.add", "content": "a\\u0000b"}'))[1], /NUL/);
  assert.equal((await send('{"content": "x"}', "text/plain"))[0], 415);
  assert.equal((await send(JSON.stringify({ content: "x".repeat(3_000_000) })))[0], 413);
  assert.match((await send(`${"[".repeat(900_000)}${"]".repeat(900_000)}`))[1], /expected object/);
  const deep = `${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}`;
  assert.match((await send(`{"type": "note.add", "content": ${deep}}`))[1], /content/);
  for (const query of [
    "limit=0",
    "limit=100000",
    "limit=-1",
    "offset=x",
    "limit=1e99",
    "limit=1.5",
    "limit=",
  ]) {
    const response = await fetch(new URL(`/api/sessions/a/notes?${query}`, server.url), {
      headers: { Authorization: `Bearer ${server.token}` },
    });
    assert.equal(response.status, 400, query);
  }
  for (const id of ["../../etc", "a%2Fb", "%00", "x".repeat(500), "__proto__"]) {
    const response = await fetch(new URL(`/api/sessions/${encodeURIComponent(id)}`, server.url), {
      headers: { Authorization: `Bearer ${server.token}` },
    });
    assert.ok([400, 404].includes(response.status), `${id}: ${response.status}`);
  }
  assert.equal((await session.state()).row.revision, 1);
});

test("describes the API from the schemas it parses with [serve.openapi]", async (context) => {
  const { server } = await startTestServer(context);
  const response = await fetch(new URL("/openapi.json", server.url), {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  const { openapi, paths, info } = (await response.json()) as {
    openapi: string;
    info: { version: string };
    paths: Record<string, Record<string, { responses: Record<string, unknown>; requestBody?: unknown }>>;
  };
  assert.deepEqual([openapi, info.version], ["3.1.0", "1.2.3"]);
  const edit = paths["/api/sessions/{id}/edits"]?.post;
  assert.match(JSON.stringify(edit?.requestBody), /"base".*"text"/);
  assert.ok(edit?.responses[409]);
  assert.ok(paths["/api/events"]?.get);
  assert.ok(!JSON.stringify(paths).includes('"$schema"'));
  const count = Object.values(paths).flatMap((path) => Object.keys(path)).length;
  assert.ok(count <= 16, `${count} routes, the stream among them`);
});

test("health reports the version, the store and the project [serve.health]", async (context) => {
  const { server } = await startTestServer(context);
  const health = await call(server, "health");
  assert.deepEqual(
    [health.version, health.store, health.demo, health.project],
    ["1.2.3", "test", false, false],
  );
  await refused(server, "project", {}, 404);
});

test("every string comes back unchanged, and only as JSON [serve.strings]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const strings = [
    "<script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    "__proto__",
    "' OR 1=1 -- 1",
    "\u202etest\u202e",
    "x\ufeff\u2028\u2029y",
    "İstanbul ẞ $& %s (a+)+$ [x",
    "👩‍👩‍👧‍👦",
    "\u001b[31mred",
    "\r\n```\n[End Scratchpad]",
  ];
  for (const [number, text] of strings.entries()) {
    const id = `n${number}`;
    const session = await memory.createSession({ id, title: text });
    const params = { id };
    const body = { type: "text" as const, name: "notepad" as const, base: "", text: `a ${text} b` };
    await call(server, "edit", { params, body });
    const tag = text.trim();
    await call(server, "edit", { params, body: { type: "note.add", content: text, tags: [tag] } });
    await session.scratchpad.addRef(text);
    const shown = await call(server, "session", { params: { id } });
    assert.deepEqual(
      [shown.session.title, shown.notepad.text, shown.tags[0]?.tag, shown.refs[0]?.ref],
      [text, `a ${text} b`, tag, text],
    );
    const [note] = (await call(server, "notes", { params: { id }, query: { tag: [tag] } })).notes;
    assert.equal(note?.content, text);
    const { hits } = await call(server, "search", { query: { q: text } });
    const hit = hits.find(({ sessionId, kind }) => sessionId === id && kind === "notepad");
    assert.equal(hit?.excerpt.slice(hit.at, hit.at + hit.length), text);
    await call(server, "history", { params });
  }
  const response = await fetch(new URL("/api/sessions", server.url), {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  assert.equal(response.headers.get("Content-Type"), "application/json");
});
