import assert from "node:assert/strict";
import { test } from "node:test";
import { isHoldfastError } from "../errors.ts";
import { Progress } from "./turn.ts";

const read = [{ tool: "read_file", input: { path: "a.ts" } }];
const other = [{ tool: "read_file", input: { path: "b.ts" } }];
const isStuck = (error: unknown) => isHoldfastError(error) && error.code === "no_progress";

test("the same call with the same result after two compactions ends the turn [controller.no-progress]", () => {
  const progress = new Progress();
  progress.add(read, ["text"]);
  progress.compacted();
  progress.add(read, ["text"]);
  progress.compacted();
  assert.throws(() => progress.add(read, ["text"]), isStuck);
});

test("polling, another result or another call is progress [controller.no-progress]", () => {
  const polling = new Progress();
  for (let count = 0; count < 50; count++) polling.add(read, ["running"]);
  const different = new Progress();
  for (let count = 0; count < 5; count++) {
    different.add(read, [`result ${count}`]);
    different.compacted();
  }
  const between = new Progress();
  between.add(read, ["text"]);
  between.compacted();
  between.add(read, ["text"]);
  between.add(other, ["something new"]);
  between.compacted();
  between.add(read, ["text"]);
});
