import assert from "node:assert/strict";
import { test } from "node:test";
import { Lanes } from "./lanes.ts";

test("writes of a session keep their order; reads and programs wait for earlier writes only [mcp.side-by-side]", async () => {
  const lanes = new Lanes();
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const work = (name: string) => () => {
    log.push(`start ${name}`);
    return new Promise<void>((resolve) => gates.set(name, resolve)).then(() => void log.push(`end ${name}`));
  };
  const open = async (name: string) => {
    gates.get(name)?.();
    await new Promise(setImmediate);
  };
  const all = [
    lanes.run("a", "program", work("program")),
    lanes.run("a", "write", work("first")),
    lanes.run("a", "write", work("second")),
    lanes.run("a", "read", work("read")),
    lanes.run("b", "write", work("other session")),
  ];
  await new Promise(setImmediate);
  assert.deepEqual(log, ["start program", "start first", "start other session"]);
  await open("first");
  assert.deepEqual(log.slice(3), ["end first", "start second"]);
  await open("second");
  assert.deepEqual(log.slice(5), ["end second", "start read"]);
  const late = lanes.run("a", "read", work("late read"));
  assert.equal(log.at(-1), "start late read", "a read waits for no other read and no program");
  for (const name of ["late read", "read", "program", "other session"]) await open(name);
  await Promise.all([...all, late]);
});

test("a write that fails does not stop the next one [mcp.side-by-side]", async () => {
  const lanes = new Lanes();
  const failed = lanes.run("a", "write", () => Promise.reject(new Error("no")));
  const next = lanes.run("a", "write", async () => "done");
  await assert.rejects(failed, /no/);
  assert.equal(await next, "done");
});
