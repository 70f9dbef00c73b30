import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type DoorName, doorNames, doors, noteIds } from "./support/doors.ts";
import { batteries, notesAfterwards } from "./support/seed-battery.ts";

/** Ids, times and sessions differ from run to run. */
function normalized(answers: readonly string[]): string[] {
  const ids = noteIds(answers);
  return answers.map((answer) =>
    answer
      .replaceAll(/note_\d{13}/g, (id) => `note#${ids.indexOf(id) + 1}`)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g, "TIME")
      .replaceAll(/\bline \d+(?=[.:)])(?!: ")/g, "line N")
      .replaceAll(/(as revision) \d+/g, "$1 N"),
  );
}

/** The name that NOTES.md has for the agent at each door. */
const agents: Record<DoorName, string> = {
  library: "agent",
  createAgent: "agent",
  MCP: "test",
  "Claude Code hook": "agent",
  chat: "chat",
  pi: "pi",
  OpenClaw: "openclaw",
  "AI SDK": "agent",
};

for (const { surface, placement, steps } of batteries)
  for (const store of ["memory:", "sqlite"] as const)
    for (const name of doorNames.filter((each) => store === "sqlite" || each !== "Claude Code hook"))
      test(`${name}, ${surface} alone, ${store}: every call of the document has its exact answer [seeds.battery]`, async (t) => {
        const door = await doors[name](t, { surfaces: [surface], store, placement });
        const answers = normalized(await door.call(steps.map(({ call }) => call)));
        assert.equal(answers.length, steps.length);
        for (const [index, { call, says }] of steps.entries())
          assert.equal(answers[index], says, `${call[0]} ${JSON.stringify(call[1]).slice(0, 200)}`);
        if (surface !== "project") return;
        const [notes = ""] = normalized([readFileSync(join(door.root, "grimoires/loa/NOTES.md"), "utf8")]);
        assert.equal(
          notes
            .replace(/- \*\*Session Started\*\*: TIME\n/, "")
            .replace(/\(session \S+\)/, "(session SESSION)"),
          notesAfterwards.replaceAll("AGENT", agents[name]),
        );
      });
