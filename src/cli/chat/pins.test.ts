import assert from "node:assert/strict";
import { test } from "node:test";
import { beginChat, runCli } from "../test-support/chat.ts";

test("/pin pins and lists rules in chat, holdfast pin and unpin at the command line [pins.people] [pins.project]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "Done." }));
  const input = ["/pin", "/pin Never push to main.", "/pin", "hello", "/unpin p9", "/quit"];
  const { stdout, code } = await runCli([...chat, "--session", "s"], { cwd, input });
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Nothing is pinned\..*\nPinned u1: Never push to main\.\nu1 {2}Never push to main\.\nDone\.\nThere is no pin "p9"\. The pins are: u1/,
  );
  const sent = (server.requests.at(-1)?.messages ?? []).map(({ content }) => String(content)).join("\n");
  assert.match(sent, /\nu1: Never push to main\.\n\[End of pins\]/);

  const pinned = await runCli(["pin", "Use tabs."], { cwd });
  assert.equal(
    pinned.stdout,
    `Pinned u2 in every conversation of this project: Use tabs.
"holdfast unpin u2" removes it.
`,
  );
  const inOne = await runCli(["pin", "Only here.", "--session", "s"], { cwd });
  assert.match(inOne.stdout, /^Pinned p1 in s: Only here\.\n/);
  assert.match(
    (await runCli(["unpin", "p1", "--session", "s"], { cwd })).stdout,
    /^Unpinned p1: Only here\./,
  );
  assert.equal((await runCli(["pin", "Use tabs.", "--session", "absent"], { cwd })).code, 1);
  assert.match((await runCli(["unpin", "u2"], { cwd })).stdout, /^Unpinned u2: Use tabs\.\n/);
  const listed = JSON.parse((await runCli(["pin", "--json"], { cwd })).stdout);
  assert.deepEqual(listed.pins, [
    {
      id: "u1",
      text: "Never push to main.",
      by: "person",
    },
  ]);
  assert.match(
    (await runCli(["show", "s"], { cwd })).stdout,
    /\nPins {2}1\n {2}• u1 {2}Never push to main\./,
  );
  assert.match((await runCli(["unpin", "u1"], { cwd })).stdout, /^Unpinned u1: Never push to main\.\n/);
  assert.match((await runCli(["pin"], { cwd })).stdout, /^Nothing is pinned\./);
  const wrong = await runCli(["unpin"], { cwd });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /ID is missing\. Usage: holdfast unpin ID/);
});

test("pins stay after /clear in chat [pins.verbatim] [pins.people]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "Done." }));
  const pinned = ["/pin Never push to main.", "hello", "/quit"];
  await runCli([...chat, "--session", "s"], { cwd, input: pinned });
  const input = ["/clear", "hello", "/pin Use tabs.", "/pin", "/quit"];
  const { stdout } = await runCli([...chat, "--session", "s"], { cwd, input });
  const sent = (server.requests.at(-1)?.messages ?? []).map(({ content }) => String(content)).join("\n");
  assert.match(sent, /\nu1: Never push to main\.\n\[End of pins\]/);
  assert.match(stdout, /u1 {2}Never push to main\.\nu2 {2}Use tabs\./);
});
