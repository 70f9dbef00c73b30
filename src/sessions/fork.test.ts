import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { answer, everything, openTestMemory, rejection, tickingClock } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Json } from "../engine/json.ts";
import type { Memory, Session } from "../index.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Store } from "../stores/store.ts";
import { emptyModel, type Model, modelCall } from "./test-support/model.ts";
import { openSmallMemory, type RandomCall, randomCall, resolveCall } from "./test-support/random-calls.ts";

type Step = { on: number } & ({ do: "call"; call: RandomCall } | { do: "fork" | "say" | "undo" | "reopen" });

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ on: fc.nat(9), do: fc.constant("call" as const), call: randomCall }),
    },
    { weight: 3, arbitrary: fc.record({ on: fc.nat(9), do: fc.constant("fork" as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        on: fc.nat(9),
        do: fc.constantFrom("say" as const, "undo" as const, "reopen" as const),
      }),
    },
  ),
  { maxLength: 40, size: "max" },
);

interface Branch {
  id: string;
  model: Model;
  messages: Json[];
  /** The states that undo restores, oldest first. */
  earlier: Model[];
}

test("forks, and forks of forks, are independent copies [sessions.fork]", async () => {
  const directory = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (todo, onDisk) => {
      const path = join(directory, `${++run}.db`);
      const clock = tickingClock();
      const kept = memoryStore();
      const open = () =>
        openSmallMemory({ store: onDisk ? `sqlite:${path}?synchronous=normal` : kept, clock });
      let memory = await open();
      await memory.createSession({ id: "s0" });
      const branches: Branch[] = [{ id: "s0", model: emptyModel(), messages: [], earlier: [] }];
      for (const step of todo) {
        if (step.do === "reopen") {
          if (onDisk) await memory.close();
          memory = await open();
        } else await runStep(memory, branches, step);
      }
      for (const branch of branches) await compare(await memory.resumeSession(branch.id), branch);
      if (onDisk) await memory.close();
    }),
    { numRuns: 80 },
  );
});

async function runStep(memory: Memory, branches: Branch[], step: Step): Promise<void> {
  const branch = branches[step.on % branches.length];
  assert.ok(branch);
  const session = await memory.resumeSession(branch.id);
  if (step.do === "fork" && branches.length < 6) {
    const id = `s${branches.length}`;
    const fork = await memory.forkSession(branch.id, { id });
    branches.push({ ...structuredClone(branch), id });
    await compare(fork, branch);
  } else if (step.do === "say") {
    const message = { role: "user", content: `${branch.id} ${branch.messages.length}` };
    await session.apply({ type: "messages.add", messages: [message] });
    branch.messages.push(message);
  } else if (step.do === "undo" && branch.earlier.length > 0) {
    await session.undo();
    branch.model = branch.earlier.pop() as Model;
  } else if (step.do === "call") {
    const call = await resolveCall(session, step.call);
    const result = await session.call(call.tool, call.input);
    const next = modelCall(branch.model, call, result.ok ? (result.output.note_id as string) : "");
    assert.equal(result.ok, next !== undefined, JSON.stringify(call));
    if (!next) return;
    branch.earlier.push(branch.model);
    branch.model = next;
  }
  await compare(session, branch);
}

async function compare(session: Session, { model, messages }: Branch): Promise<void> {
  const { notepad, scratchpad, notes, counters, messages: stored } = await everything(session);
  assert.equal(notepad ?? "", model.notepad);
  assert.deepEqual(scratchpad, model.scratchpad);
  assert.deepEqual(
    notes.map(({ id, content, tags }) => ({ id, content, tags })),
    model.notes,
  );
  const tags = new Set(model.notes.flatMap((note) => note.tags));
  assert.deepEqual([counters.notes, counters.tags], [model.notes.length, tags.size]);
  assert.deepEqual(stored, messages);
}

test("a fork has all of its parent's memory and history, and records its parent [sessions.fork]", async () => {
  const memory = await openTestMemory();
  const parent = await memory.createSession({ id: "parent", agent: "auditor", title: "Audit" });
  await parent.notepad.write("plan");
  await parent.notes.add("finding", ["a"]);
  await parent.scratchpad.addRef("src/a.ts");
  await parent.apply({ type: "messages.add", messages: [{ role: "user", content: "hi" }] });
  const fork = await memory.forkSession("parent", { id: "child" });
  const [before, after] = [await everything(parent), await everything(fork)];
  assert.deepEqual({ ...after, revision: 0 }, { ...before, revision: 0 });
  const { row } = await fork.state();
  assert.deepEqual([row.parent, row.origin, row.agent, row.title], ["parent", "forked", "auditor", "Audit"]);
  const types = async (session: Session) =>
    (await session.history({ newestFirst: false })).map(({ operation }) => operation.type);
  const shared = [
    "session.create",
    "notepad.write",
    "notes.add",
    "scratchpad.refs_add",
    "messages.add",
    "session.fork",
  ];
  assert.deepEqual(await types(parent), shared);
  assert.deepEqual(await types(fork), [...shared, "session.forked"]);
});

test("notes added on both sides get distinct ids [sessions.fork] [notes.ids]", async () => {
  const memory = await openTestMemory({ clock: () => 1_000 });
  const parent = await memory.createSession({ id: "parent" });
  const inherited = (await answer(parent, "add_note", { content: "x" })).note_id;
  const fork = await memory.forkSession("parent");
  assert.equal(inherited, "note_1000");
  assert.equal((await answer(fork, "add_note", { content: "y" })).note_id, "note_1001");
  await answer(fork, "delete_note", { id: inherited });
  assert.equal((await parent.notes.all()).length, 1);
  assert.deepEqual(
    (await fork.notes.all()).map(({ id }) => id),
    ["note_1001"],
  );
});

test("forking writes no notes or messages, however many there are [sessions.fork-cost]", async () => {
  const inner = memoryStore();
  const written: unknown[] = [];
  const store: Store = {
    ...inner,
    create(session) {
      written.push(...session.records);
      return inner.create(session);
    },
    commit(commit) {
      written.push(...commit.records);
      return inner.commit(commit);
    },
  };
  const memory = await openTestMemory({ store });
  const costs: number[] = [];
  for (const size of [10, 1_000]) {
    const session = await memory.createSession({ id: `size-${size}` });
    for (let index = 0; index < size; index++) await session.notes.add(`note ${index}`, [`tag-${index % 7}`]);
    await session.apply({
      type: "messages.add",
      messages: Array.from({ length: size }, (_, index) => ({ index })),
    });
    await session.scratchpad.setPlan("copied, since it is small");
    written.length = 0;
    const fork = await memory.forkSession(session.id);
    costs.push(written.length);
    assert.equal((await fork.notes.all()).length, size);
  }
  assert.deepEqual(costs, [1, 1]);
});

test("a fork with an existing or invalid id is rejected and leaves the parent unchanged [sessions.fork]", async () => {
  const memory = await openTestMemory();
  const parent = await memory.createSession({ id: "parent" });
  await memory.createSession({ id: "taken" });
  const before = await everything(parent);
  await rejection(memory.forkSession("parent", { id: "taken" }), "session_exists");
  await rejection(memory.forkSession("parent", { id: "not valid" }), "invalid_input");
  assert.deepEqual(await everything(parent), before);
});

test("a spawned session starts empty, or with a copy of the notepad only [sessions.spawn]", async () => {
  const memory = await openTestMemory();
  const parent = await memory.createSession({ id: "parent", agent: "auditor" });
  await parent.notepad.write("the plan");
  await parent.notes.add("finding", ["a"]);
  await parent.scratchpad.setPlan("1. audit");
  const empty = await memory.spawnSession("parent", { title: "Sheet 1" });
  const copy = await memory.spawnSession("parent", { copyNotepad: true });
  for (const [child, notepad] of [
    [empty, null],
    [copy, "the plan"],
  ] as const) {
    const { row } = await child.state();
    assert.deepEqual([row.parent, row.origin, row.agent], ["parent", "spawned", "auditor"]);
    const { notes, scratchpad, messages, ...rest } = await everything(child);
    assert.deepEqual([rest.notepad, notes, scratchpad.plan, messages], [notepad, [], "", []]);
  }
  await copy.notepad.append("- done");
  await parent.notepad.write("another plan");
  assert.equal(await copy.notepad.read(), "the plan\n- done");
  assert.equal(await parent.notepad.read(), "another plan");
  const children = await memory.listSessions({ parent: "parent" });
  assert.deepEqual(children.map(({ id }) => id).toSorted(), [copy.id, empty.id].toSorted());
});
