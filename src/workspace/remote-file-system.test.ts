import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { isRemote } from "./remote-file-system.ts";

test("a store on a network file system is one whose reads may block [hooks.deadline]", () => {
  const directory = temporaryDirectory();
  for (const [name, type, expected] of [
    ["nfs", 0x6969, true],
    ["sshfs", 0x65735546, true],
    ["ext4", 0xef53, false],
    ["tmpfs", 0x01021994, false],
    ["overlay", 0x794c7630, false],
  ] as const)
    assert.equal(
      isRemote(directory, () => type),
      expected && process.platform === "linux",
      name,
    );
  assert.equal(isRemote(`${directory}/missing`), false);
});
