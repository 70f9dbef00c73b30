import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgram } from "../../../test/support/processes.ts";
import { lintProject } from "./lint.ts";
import { parseNotes, rowsOf } from "./notes.ts";
import { makeProject } from "./test-support/project.ts";

test("200 writers killed at random lose nothing that they reported as logged", async () => {
  const { root, project, read } = makeProject();
  const acknowledged = new Set<string>();
  for (let round = 0; round < 50; round++) {
    const programs = ["a", "b", "c", "d"].map((name) =>
      startProgram("notes-writer.ts", { root, name: `${name}${round}`, count: 1_000 }),
    );
    for (const program of programs) {
      // After its first line a writer is always in the middle of a write; kill it at a random one.
      program.onLine(() => {
        if (Math.random() < 0.3) program.process.kill("SIGKILL");
      });
    }
    for (const program of programs) {
      await program.ended;
      for (const line of program.lines) acknowledged.add(line.split(" ")[2] ?? "");
    }
    const rows = rowsOf(parseNotes(read()), "debt");
    const ids = new Set(rows.map(({ values }) => values.id ?? ""));
    assert.equal(ids.size, rows.length);
    for (const id of acknowledged) assert.ok(ids.has(id), id);
    assert.deepEqual((await lintProject(project)).findings, []);
  }
});
