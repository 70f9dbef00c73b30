import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { doorNames, doors } from "./support/doors.ts";

/** Places with a conversation that begins and ends. A program calls `startProjectSession` itself. */
const withMoments = doorNames.filter((name) => name !== "library" && name !== "MCP");
/** Places that know that a conversation has ended. */
const withEnd = ["chat", "pi", "OpenClaw"];

for (const name of withMoments)
  test(`${name}: the start of NOTES.md, overdue blockers and the row of what was done [seeds.project]`, async (t) => {
    const door = await doors[name](t, {
      surfaces: ["project"],
      store: "sqlite",
      placement: "system",
      contextWindow: 16_000,
      reply: "All sheets are counted.",
    });
    const path = join(door.root, "grimoires/loa/NOTES.md");
    const comment = "<!-- External factors affecting progress -->\n";
    const overdue = "- Waiting: OAuth keys (ETA: 2024-01-15)\n";
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(comment, () => comment + overdue),
    );
    const first = await door.next();
    const shown = `${first.system}\n${first.said}`;
    assert.match(shown, /\[Project memory from NOTES\.md[\s\S]*\[End of project memory\]/);
    assert.match(shown, /This blocker may have resolved \(its ETA 2024-01-15 has passed\): OAuth keys/);
    const rows = () => {
      const [, log = ""] = readFileSync(path, "utf8").split("## Session Continuity Log\n");
      return log.split("\n## ")[0] ?? "";
    };
    assert.match(readFileSync(path, "utf8"), /^- \*\*Session Started\*\*: \d{4}-\d\d-\d\dT/m);
    assert.doesNotMatch(rows(), /Compaction:|Session end:/);
    // A hook reads the transcript of its host: [hooks.project-handover] has one.
    if (door.compact && name !== "Claude Code hook") {
      await door.compact();
      assert.match(rows(), /Compaction: .*All sheets are counted\./);
      await door.next();
    }
    await door.close();
    if (withEnd.includes(name)) assert.match(rows(), /Session end: .*All sheets are counted\./);
  });
