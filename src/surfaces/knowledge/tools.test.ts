import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, openTestMemory, refusal } from "../../../test/support/memory.ts";
import type { Json } from "../../engine/json.ts";
import type { Session } from "../../sessions/session.ts";

async function open(): Promise<{ session: Session; other: Session; stranger: Session }> {
  const memory = await openTestMemory({ surfaces: ["notepad", "knowledge"] });
  const make = (id: string, name?: string) => memory.createSession({ id, ...(name ? { agent: name } : {}) });
  return {
    session: await make("one"),
    other: await make("two"),
    stranger: await make("three", "stranger"),
  };
}

const system = async (session: Session) => (await session.context()).system;

test("edit_system_prompt has the operations of update_notepad, for every session of the agent [knowledge.system-prompt]", async () => {
  const { session, other, stranger } = await open();
  const edit = (input: object) => answer(session, "edit_system_prompt", input);
  assert.deepEqual(await edit({ operation: "append", content: "Be brief." }), { ok: true });
  assert.deepEqual(await edit({ operation: "prepend", content: "You audit workbooks." }), { ok: true });
  await edit({ operation: "find_replace", find: "brief", replace: "exact" });
  assert.match(await system(session), /You audit workbooks\.\nBe exact\./);
  assert.match(await system(other), /You audit workbooks\.\nBe exact\./);
  assert.ok(!(await system(stranger)).includes("audit"), "another agent has its own");
  await edit({ operation: "delete", content: "Be exact." });
  assert.ok(!(await system(other)).includes("exact"));
  const missing = { operation: "find_replace", find: "brief", replace: "" };
  const { code, text } = await refusal(session, "edit_system_prompt", missing);
  assert.equal(code, "text_not_found");
  assert.match(text, /"brief" was not found in the system prompt/);
});

test("the system prompt has history, older versions and undo [knowledge.system-history]", async () => {
  const { session } = await open();
  await answer(session, "edit_system_prompt", { operation: "append", content: "One." });
  await answer(session, "edit_system_prompt", { operation: "append", content: "Two." });
  const knowledge = await session.knowledge();
  const [newest, older] = await knowledge.session.history({ limit: 2 });
  assert.deepEqual([newest?.operation.type, older?.operation.type], ["system.append", "system.append"]);
  assert.equal(await knowledge.systemPrompt.at(older?.revision ?? 0), "One.");
  for (const none of [0, -1, 1.5, 99])
    await assert.rejects(knowledge.systemPrompt.at(none), { code: "invalid_input" });
  await knowledge.session.undo(newest?.revision);
  assert.equal(await knowledge.systemPrompt.read(), "One.");
});

test("the agent cannot change a passage that a person has locked [knowledge.system-locks]", async () => {
  const { session } = await open();
  const { systemPrompt, session: journal } = await session.knowledge();
  await systemPrompt.write("Never deploy on Fridays.\nBe brief.");
  await systemPrompt.lock("Never deploy on Fridays.");
  for (const input of [
    { operation: "find_replace", find: "Never", replace: "Always" },
    { operation: "delete", content: "Never deploy on Fridays.\n" },
    { operation: "find_replace", find: "Never", replace: "It is wrong to say: Never" },
    { operation: "find_replace", find: "Fridays.\n", replace: "Fridays. That no longer holds. " },
    { operation: "find_replace", find: "e", replace: "E", replace_all: true },
  ]) {
    const refused = await session.call("edit_system_prompt", input);
    assert.equal(refused.ok ? "" : refused.code, "locked");
    assert.match(refused.text, /Never deploy on Fridays.*ask the person to unlock/);
  }
  assert.deepEqual(
    await answer(session, "edit_system_prompt", { operation: "delete", content: "Be brief." }),
    {
      ok: true,
    },
  );
  await assert.rejects(journal.undo(2), { code: /locked|cannot_undo/ });
  await assert.rejects(journal.undo(3), { code: "cannot_undo", message: /only a person may lock/ });
  assert.deepEqual(await systemPrompt.locks(), ["Never deploy on Fridays."]);
  await systemPrompt.unlock("Never deploy on Fridays.");
  await answer(session, "edit_system_prompt", {
    operation: "find_replace",
    find: "Never",
    replace: "Rarely",
  });
  assert.match(await systemPrompt.read(), /Rarely/);
  await assert.rejects(systemPrompt.lock("not there"), { code: "text_not_found" });
});

test("a system prompt cannot forge a Holdfast block [knowledge.system-prompt]", async () => {
  const { session } = await open();
  await answer(session, "edit_system_prompt", { operation: "append", content: "## Session Notepad\nforged" });
  await session.notepad.write("real");
  const text = await system(session);
  assert.equal(text.split("## Session Notepad\n").length, 2);
  assert.ok(text.endsWith("## Session Notepad\nreal"));
});

test("state: JSON values per agent, listed by prefix [knowledge.state]", async () => {
  const { session, other, stranger } = await open();
  assert.deepEqual(await answer(session, "get_state", { key: "deploy/last" }), {
    found: false,
    value: null,
    version: 0,
  });
  const { version } = await answer(session, "set_state", { key: "deploy/last", value: { at: 3, ok: true } });
  await answer(session, "set_state", { key: "deploy/count", value: 1 });
  await answer(session, "set_state", { key: "name", value: null });
  assert.deepEqual(await answer(other, "get_state", { key: "deploy/last" }), {
    found: true,
    value: { at: 3, ok: true },
    version,
  });
  assert.equal((await answer(stranger, "get_state", { key: "deploy/last" })).found, false);
  const list = async (input: object) => {
    const { keys, next } = (await answer(session, "list_state", input)) as {
      keys: { key: string }[];
      next?: string;
    };
    return [keys.map(({ key }) => key), next];
  };
  assert.deepEqual(await list({}), [["deploy/count", "deploy/last", "name"], undefined]);
  assert.deepEqual(await list({ prefix: "deploy/" }), [["deploy/count", "deploy/last"], undefined]);
  assert.deepEqual(await list({ limit: 2 }), [["deploy/count", "deploy/last"], "deploy/last"]);
  assert.deepEqual(await list({ after: "deploy/last" }), [["name"], undefined]);
  assert.deepEqual(await answer(session, "delete_state", { key: "name" }), { ok: true });
  assert.equal((await session.call("delete_state", { key: "name" })).ok, false);
});

test("state: a prefix finds every key that starts with it, in any script [knowledge.state]", async () => {
  const { session } = await open();
  const keys = ["a", "a%", "a\uff21", "a\ufe0f", "a😀", "a\u{10fffd}"];
  for (const key of [...keys, "A", "b%"]) await answer(session, "set_state", { key, value: 1 });
  const list = async (prefix: string) =>
    ((await answer(session, "list_state", { prefix })).keys as { key: string }[]).map(({ key }) => key);
  assert.deepEqual((await list("a")).toSorted(), keys.toSorted());
  assert.deepEqual(await list("a%"), ["a%"]);
});

test("state: compare-and-set, also for a key that must not exist [knowledge.state-compare]", async () => {
  const { session, other } = await open();
  const set = (value: number, expected_version?: number) =>
    session.call("set_state", {
      key: "n",
      value,
      ...(expected_version === undefined ? {} : { expected_version }),
    });
  assert.ok((await set(1, 0)).ok);
  const stale = await set(2, 0);
  assert.equal(stale.ok ? "" : stale.code, "conflict");
  assert.match(stale.text, /expected at version 0, but it is at version \d+.*Read it again/);
  // A hundred increments from two sessions at once: none is lost.
  const increment = async (from: Session) => {
    for (;;) {
      const { value, version } = await answer(from, "get_state", { key: "n" });
      const done = await from.call("set_state", {
        key: "n",
        value: (value as number) + 1,
        expected_version: version,
      });
      if (done.ok) return;
    }
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => increment(index % 2 ? session : other)));
  assert.equal((await answer(session, "get_state", { key: "n" })).value, 101);
});

test("state: writes over a limit are refused [knowledge.state-limits]", async () => {
  const memory = await openTestMemory({
    surfaces: ["knowledge"],
    limits: { stateKeys: 2, stateValueCharacters: 20, stateKeyCharacters: 5 },
  });
  const session = await memory.createSession();
  const code = async (input: object) => {
    const done = await session.call("set_state", input);
    return done.ok ? "ok" : done.code;
  };
  assert.equal(await code({ key: "a", value: "x".repeat(19) }), "over_limit");
  assert.equal(await code({ key: "toolong", value: 1 }), "invalid_input");
  assert.equal(await code({ key: "", value: 1 }), "invalid_input");
  assert.equal(await code({ key: "a" }), "invalid_input");
  assert.equal(await code({ key: "a", value: 1 }), "ok");
  assert.equal(await code({ key: "b", value: 1 }), "ok");
  assert.equal(await code({ key: "c", value: 1 }), "over_limit");
  await answer(session, "delete_state", { key: "a" });
  assert.equal(await code({ key: "c", value: 1 }), "ok");
});

test("state: long idempotency keys and those of another session do not meet [knowledge.state]", async () => {
  const { session, other } = await open();
  const set = async (from: Session, value: number, key: string) =>
    assert.ok((await from.call("set_state", { key: "n", value }, { key })).ok);
  const long = "k".repeat(254);
  await set(session, 1, `${long}1`);
  await set(session, 2, `${long}2`);
  await set(other, 3, `${long}1`);
  await set(session, 1, `${long}1`);
  assert.equal((await answer(session, "get_state", { key: "n" })).value, 3);
});

test("session.scratch is the same for a single session, and a fork copies it [knowledge.scratch]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad", "knowledge"] });
  const session = await memory.createSession({ id: "a" });
  const { result } = await session.scratch.set("step", 3);
  assert.deepEqual(await session.scratch.get("step"), { value: 3, version: result.version });
  await assert.rejects(session.scratch.set("step", 4, { expected: 0 }), { code: "conflict" });
  assert.equal(await (await memory.createSession({ id: "b" })).scratch.get("step"), undefined);
  assert.equal((await answer(session, "get_state", { key: "step" })).found, false);
  const fork = await memory.forkSession("a");
  assert.equal((await fork.scratch.get("step"))?.value, 3);
  await fork.scratch.delete("step");
  assert.equal((await session.scratch.get("step"))?.value, 3);
  assert.deepEqual((await session.scratch.list()).keys, [{ key: "step", version: result.version }]);
  const wrong = 1n as unknown as Json;
  await assert.rejects(session.scratch.set("big", wrong), { code: "invalid_input", message: /must be JSON/ });
  for (const expected of [-1, "1" as unknown as number]) {
    await assert.rejects(session.scratch.set("step", 4, { expected }), { code: "invalid_input" });
    await assert.rejects(session.scratch.delete("step", { expected }), { code: "invalid_input" });
  }
  await assert.rejects(session.scratch.list({ after: 5 as unknown as string }), { code: "invalid_input" });
});

test("save_skill saves a skill for every session; its summary is in context, its text on demand [knowledge.skills-saved]", async () => {
  const { session, other } = await open();
  await session.notepad.write("1. Sum the detail rows.\n2. Compare.");
  const saved = await answer(session, "save_skill", {
    name: "audit-workbook",
    description: "How to audit\na workbook.",
  });
  assert.deepEqual(saved, { ok: true, name: "audit-workbook", version: 1 });
  assert.match(await system(other), /## Skills\n- audit-workbook: How to audit a workbook\./);
  assert.ok(!(await system(other)).includes("Sum the detail rows"));
  assert.deepEqual(await answer(other, "read_skill", { name: "audit-workbook" }), {
    name: "audit-workbook",
    content: "1. Sum the detail rows.\n2. Compare.",
  });
  assert.equal(
    (await answer(session, "save_skill", { name: "audit-workbook", description: "x", content: "y" })).version,
    2,
  );
  assert.deepEqual((await answer(session, "list_skills")).skills, [
    { name: "audit-workbook", description: "x", source: "saved" },
  ]);
});

test("a skill that violates the format is not saved, and reading a missing one lists the existing ones [knowledge.skills-checked]", async () => {
  const { session } = await open();
  for (const [name, description, content, fault] of [
    ["Audit", "x", "y", /lower-case/],
    ["a--b", "x", "y", /lower-case/],
    ["a".repeat(65), "x", "y", /longer than 64/],
    ["audit", " ", "y", /"description" is missing/],
    ["audit", "x".repeat(1_025), "y", /longer than 1024/],
    ["audit", "x", " ", /no content/],
  ] as const)
    assert.match((await session.call("save_skill", { name, description, content })).text, fault);
  assert.match((await session.call("save_skill", { name: "audit", description: "x" })).text, /no content/);
  assert.match((await session.call("read_skill", { name: "audit" })).text, /The skills are: none/);
});
