import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgram } from "../../../test/support/processes.ts";
import { lintProject } from "./lint/lint.ts";
import { parseNotes, tableOf } from "./notes-md/parse.ts";
import { makeProject } from "./test-support/project.ts";

test("200 writers that are killed at any moment lose nothing that they said was logged", async () => {
  const { root, project, read } = makeProject();
  const acknowledged = new Set<string>();
  for (let round = 0; round < 50; round++) {
    const programs = ["a", "b", "c", "d"].map((name) =>
      startProgram("notes-writer.ts", { root, name: `${name}${round}`, count: 1_000 }),
    );
    for (const program of programs) {
      // From the first line on a writer is in the middle of something; which of its lines that is, is chance.
      program.onLine(() => {
        if (Math.random() < 0.3) program.process.kill("SIGKILL");
      });
    }
    for (const program of programs) {
      await program.ended;
      for (const line of program.lines) acknowledged.add(line.split(" ")[2] ?? "");
    }
    const rows = tableOf(parseNotes(read()), "debt")?.rows ?? [];
    const ids = new Set(rows.map(({ cells }) => cells[0]?.text ?? ""));
    assert.equal(ids.size, rows.length);
    for (const id of acknowledged) assert.ok(ids.has(id), id);
    assert.deepEqual((await lintProject(project)).findings, []);
  }
});
