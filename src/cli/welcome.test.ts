import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfast } from "../../test/support/command-line.ts";
import { type FoundHost, welcome } from "./welcome.ts";

function greet(found: readonly FoundHost[]): string {
  const lines: string[] = [];
  welcome(found, (line) => lines.push(line));
  return lines.join("\n");
}

const first: FoundHost = { title: "First Agent", isConnected: true };
const second: FoundHost = { title: "Second", isConnected: false };

test("holdfast alone shows the hosts found here and the next step, and changes nothing [people.welcome]", () => {
  const half = greet([first, second]);
  assert.match(half, /First Agent {2}connected\n {2}Second {7}not connected/);
  assert.match(half, /\nNext\n.* init +connect them, for you alone/);
  assert.match(greet([first]), /\nNext\n.* serve +see and edit memory/);
  assert.match(greet([]), /No coding agent was found here\. Holdfast works with .*Claude Code/);
});

test("without a terminal, holdfast alone prints the help and exits with 1 [people.welcome]", async () => {
  const { code, stdout } = await holdfast();
  assert.equal(code, 1);
  assert.match(stdout, /^Usage: holdfast COMMAND/m);
});
