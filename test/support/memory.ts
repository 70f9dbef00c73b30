import assert from "node:assert/strict";
import {
  isHoldfastError,
  type Memory,
  type MemoryOptions,
  openMemory,
  type Session,
} from "../../src/index.ts";

/** A memory with three surfaces (default store: in memory) and a clock that advances one second per read. */
export function openTestMemory(options: Partial<MemoryOptions> = {}): Promise<Memory> {
  return openMemory({
    store: "memory:",
    surfaces: ["notepad", "notes", "scratchpad"],
    clock: tickingClock(),
    ...options,
  });
}

export async function openTestSession(options: Partial<MemoryOptions> = {}): Promise<Session> {
  return (await openTestMemory(options)).createSession({ id: "test" });
}

export function tickingClock(start = Date.UTC(2026, 0, 1)): () => number {
  let now = start;
  return () => {
    now += 1_000;
    return now;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the calling test checks the tool's output
type Output = any;

/** The output of a tool call that must succeed. */
export async function answer(session: Session, tool: string, input: unknown = {}): Promise<Output> {
  const result = await session.call(tool, input);
  assert.ok(result.ok, result.text);
  return result.output;
}

/** The error of a tool call that must fail and change nothing. */
export async function refusal(
  session: Session,
  tool: string,
  input: unknown,
): Promise<{ code: string; text: string; data: Record<string, unknown> }> {
  const before = await everything(session);
  const result = await session.call(tool, input);
  assert.ok(!result.ok, `accepted: ${JSON.stringify(result)}`);
  assert.deepEqual(await everything(session), before, "a rejected call changed something");
  return result;
}

/** Asserts that a promise rejects with a HoldfastError and returns it. */
export async function rejection(
  promise: Promise<unknown>,
  code: string,
): Promise<{ message: string; data: Record<string, unknown> }> {
  const error = await promise.then(
    () => assert.fail(`expected a ${code} error, but it succeeded`),
    (thrown: unknown) => thrown,
  );
  assert.ok(isHoldfastError(error), String(error));
  assert.equal(error.code, code, error.message);
  return error;
}

/** Everything a user can see of a session. */
export async function everything(session: Session) {
  const { row } = await session.state();
  return {
    revision: row.revision,
    counters: row.counters,
    notepad: row.notepad,
    scratchpad: await session.scratchpad.read(),
    notes: await session.notes.all(),
    tags: await session.notes.tags(),
    messages: await session.messages(),
  };
}
