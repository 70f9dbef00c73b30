import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { lintProject } from "../lint/lint.ts";
import { readDecision } from "../notes-md/decision.ts";
import { joinLines, splitLines } from "../notes-md/lines.ts";
import { entriesOf, itemsOf, parseNotes, tableOf } from "../notes-md/parse.ts";
import { openProject } from "../project.ts";
import { callOperation, decision, git, jwt, makeProject, seedNotes } from "../test-support/project.ts";
import { notesFolder } from "../verify/working-files.ts";
import { undoChange } from "./change-notes.ts";

/** One call per operation that adds something. */
const additions: [name: string, input: Record<string, unknown>][] = [
  ["log_decision", decision],
  ["log_debt", { description: "N+1 query | in the user list", severity: "HIGH", sprint: "S03" }],
  ["set_goal", { goal: "A goal that is new", blocked_by: "the weather" }],
  ["log_blocker", { blocker: "A blocker that is new", eta: "2027-01-15" }],
  ["track_ref", { path: "src/auth/jwt.ts", lines: "1-2", purpose: "Where tokens are read" }],
  ["ask_question", { question: "A question that is new?" }],
];

/** Whether `after` contains every line of `before`, in order; only the last line may gain a line end. */
function containsAllLines(before: string, after: string): boolean {
  const lines = (text: string) => {
    const { texts, ends } = splitLines(text);
    return texts.map((each, index) => each + (ends[index] || ""));
  };
  const rest = lines(after);
  return lines(before).every((line, index, all) => {
    const isLast = index === all.length - 1;
    const at = rest.findIndex((each) => each === line || (isLast && each.trimEnd() === line.trimEnd()));
    rest.splice(0, at + 1);
    return at !== -1;
  });
}

const variants: [name: string, text: string][] = [
  ["LF", seedNotes],
  ["CRLF", seedNotes.replaceAll("\n", "\r\n")],
  ["a byte-order mark", `\uFEFF${seedNotes}`],
  ["no final line end", seedNotes.trimEnd()],
  ["tabs", seedNotes.replaceAll("- [ ] ", "-\t[ ]\t").replaceAll("| ", "|\t")],
  ["unknown sections", `${seedNotes}\n## Ours\n\n\tkept  \n<!-- kept too -->\n\n`],
];

for (const [name, text] of variants) {
  test(`undoing an edit restores the example with ${name} byte for byte [project.undo] [project.bytes]`, async () => {
    assert.equal(joinLines(splitLines(text)), text);
    for (const [operation, input] of additions) {
      const { project, read, call } = makeProject({ notes: text });
      await call(operation, input);
      assert.notEqual(read(), text);
      assert.ok(containsAllLines(text, read()), `${operation} changed other lines`);
      assert.equal(undoChange(project.file).operation, operation);
      assert.equal(read(), text, operation);
    }
    const { project, read, call } = makeProject({ notes: text });
    await call("log_handoff", { summary: "Did it", next: "Go on" });
    await call("archive", { keep: 0 });
    await call("set_goal", { goal: "Refactor database layer", status: "done" });
    for (let count = 0; count < 3; count++) undoChange(project.file);
    assert.equal(read(), text);
    assert.throws(() => undoChange(project.file), { code: "cannot_undo" });
  });
}

test("undo keeps later manual edits, and is refused if they changed the same lines [project.undo]", async () => {
  const { project, read, write, call } = makeProject({ notes: seedNotes });
  await call("ask_question", { question: "Is this right?" });
  write(read().replace("## Active Sub-Goals", "A line of mine\n\n## Active Sub-Goals"));
  undoChange(project.file);
  assert.equal(read(), seedNotes.replace("## Active Sub-Goals", "A line of mine\n\n## Active Sub-Goals"));
  await call("ask_question", { question: "Is this right?" });
  write(read().replace("Is this right?", "Is that right?"));
  assert.throws(() => undoChange(project.file), { code: "cannot_undo" });
  assert.match(read(), /Is that right\?/);
});

const markdown = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...seedNotes.split("\n"),
      "## Discovered Technical Debt",
      "### Decision Log",
      "| broken | row",
      "- [x] done",
      "* other bullet",
      "```",
      "<!-- open",
      "-->",
      "\tcode",
      "",
      "<<<<<<< HEAD",
      ">>>>>>> theirs",
      "=======",
    ),
    fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
  ),
  { maxLength: 40 },
);

test("an edit to any file changes nothing outside its lines [project.bytes] [project.bad-files]", async () => {
  const project = makeProject();
  await fc.assert(
    fc.asyncProperty(
      markdown,
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.constantFrom(...additions),
      async (lines, end, closed, [operation, input]) => {
        const text = lines.join(end) + (closed ? end : "");
        project.write(text);
        try {
          await callOperation(project.project, operation, input);
        } catch (error) {
          // Refused because of a conflict or an open code block: nothing changes.
          assert.equal((error as { code?: string }).code, "conflict", String(error));
          assert.equal(project.read(), text);
          return;
        }
        assert.ok(containsAllLines(text, project.read()));
        if (project.read() === text) return;
        undoChange(project.project.file);
        assert.equal(project.read(), text);
      },
    ),
    { numRuns: 150 },
  );
});

const fragment = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 7 }),
  fc.constantFrom(
    ..."\\ \\| | a\\ ` ``x ** <!-- --> ``` ~~~ ---|--- --- === > <div> <script> *** |---| &amp; [a]: [^1] __x__ $& $1".split(
      " ",
    ),
    ...["# h", "- x", "1. y", "[ ] z", "\n\n## Blockers & Dependencies\n", "**Rationale**: no", "![a](b)"],
  ),
);
const words = fc
  .array(fragment, { minLength: 1, maxLength: 3 })
  .map((fragments) => fragments.join(" ").toWellFormed().replaceAll("\u0000", "x"))
  .filter((text) => text.trim() !== "");

test("any logged text stays one entry, row or list item, and can be read back [project.texts]", async () => {
  const { project, read, write, call } = makeProject();
  const empty = read();
  const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim().replaceAll("\\", "");
  await fc.assert(
    fc.asyncProperty(words, words, words, async (first, second, third) => {
      write(empty);
      const texts = { decision: first, rationale: second, title: third, scenarios: [first, second, third] };
      await call("log_decision", { ...decision, ...texts });
      await call("log_debt", { description: first, found_by: second, sprint: third });
      await call("set_goal", { goal: first, blocked_by: second });
      await call("set_goal", { goal: first, status: "done" });
      await call("log_blocker", { blocker: first });
      await call("log_blocker", { blocker: first, resolution: second });
      await call("log_handoff", { summary: first, next: second, task: third }, { agent: third });
      const notes = parseNotes(read());
      const [entry, ...others] = entriesOf(notes);
      assert.ok(entry && others.length === 0);
      const logged = readDecision(notes, entry);
      assert.deepEqual([plain(logged.decision), plain(logged.rationale)], [plain(first), plain(second)]);
      assert.deepEqual([logged.evidence.length, logged.scenarios.length], [1, 3]);
      const rows = tableOf(notes, "debt")?.rows ?? [];
      assert.deepEqual([rows.length, rows[0]?.cells.length], [1, 5]);
      assert.equal(plain(rows[0]?.cells[1]?.text ?? ""), plain(first));
      for (const key of ["goals", "blockers"] as const) assert.equal(itemsOf(notes, key).length, 1);
      await call("archive", { keep: 0 });
      assert.deepEqual((await lintProject(project)).findings, []);
    }),
    { numRuns: 15 },
  );
});

test("every operation leaves a file without lint findings [project.clean]", async () => {
  const { project, call } = makeProject();
  const steps: [string, Record<string, unknown>][] = [
    ...additions,
    ["set_goal", { goal: "A goal that is new", status: "done" }],
    ["log_blocker", { blocker: "A blocker that is new", resolution: "the weather changed" }],
    ["ask_question", { question: "A question that is new?", answer: "yes | no" }],
    [
      "log_handoff",
      { summary: `Did ${"very ".repeat(200)}much`, next: "go ".repeat(300), task: "多".repeat(400) },
    ],
    ["log_decision", { ...decision, decision: "Use `a` | **b** <!-- c", title: "# 1. [x] `" }],
    ["archive", { keep: 1 }],
    ["archive", { keep: 0 }],
    ["log_decision", decision],
  ];
  assert.deepEqual((await lintProject(project)).findings, []);
  for (const [operation, input] of steps) {
    await call(operation, input);
    assert.deepEqual((await lintProject(project)).findings, [], operation);
  }
});

test("a decision must be complete, with evidence quoted word for word from the code [project.decision]", async () => {
  const { call, read, root } = makeProject();
  const refused = async (input: Record<string, unknown>, code: string) => {
    const before = read();
    await assert.rejects(
      call("log_decision", { ...decision, ...input }),
      (error: Error & { code?: string }) => {
        assert.ok(error.code === code || error.name === "ZodError", `${error.name}: ${error.message}`);
        return true;
      },
    );
    assert.equal(read(), before);
  };
  await refused({ evidence: [] }, "zod");
  await refused({ scenarios: ["one", "two"] }, "zod");
  await refused({ rationale: " " }, "invalid_input");
  await refused({ rationale: "x".repeat(2_001) }, "over_limit");
  await refused({ timestamp: "yesterday" }, "invalid_input");
  await refused({ evidence: [{ quote: "isTokenExpird(", path: "src/auth/jwt.ts" }] }, "text_not_found");
  await refused({ evidence: [{ quote: "x", path: "src/none.ts" }] }, "not_found");
  await refused({ evidence: [{ quote: "root", path: "../../etc/passwd" }] }, "invalid_input");
  const quote = jwt.split("\n").slice(2, 4).join("\n");
  const { text, line } = await call("log_decision", {
    ...decision,
    evidence: [{ quote, path: `${root}/src/auth/jwt.ts`, line: 1 }],
    title: "Token expiry",
  });
  assert.match(text, /the quote is on line 3, not 1/);
  const notes = parseNotes(read());
  const [entry] = entriesOf(notes);
  assert.ok(entry);
  assert.equal(entry.line + 1, line);
  const logged = readDecision(notes, entry);
  assert.equal(logged.name, "Token expiry");
  assert.match(logged.timestamp, /^2026-03-01T10:00:\d\dZ$/);
  assert.deepEqual(
    logged.evidence.map((each) => [each.quote, each.reference?.text]),
    [
      [
        "export function isTokenExpired(token: Token, graceMs = 900000) {",
        "$" + "{PROJECT_ROOT}/src/auth/jwt.ts:3",
      ],
      ["return token.expiresAt + graceMs < Date.now();", "$" + "{PROJECT_ROOT}/src/auth/jwt.ts:4"],
    ],
  );
  assert.deepEqual(logged.scenarios, decision.scenarios);
});

test("a decision in other Markdown syntax is read by the parser [project.parser]", () => {
  const notes = parseNotes(
    [
      "### Decision Log",
      "#### 2024-01-15T14:30:00Z - Title",
      "- __Decision__: do it",
      "- **Rationale:** because",
      "- **Evidence**:",
      "  - ``a ` b`` [src/x.ts:1]",
      "- **Test Scenarios**",
      "  - one",
      "  - two",
    ].join("\n"),
  );
  const [entry] = entriesOf(notes);
  assert.ok(entry);
  const { decision: text, rationale, evidence, scenarios } = readDecision(notes, entry);
  assert.deepEqual(
    { text, rationale, scenarios },
    { text: "do it", rationale: "because", scenarios: ["one", "two"] },
  );
  assert.deepEqual(
    evidence.map(({ quote, reference, line }) => [quote, reference?.text, line]),
    [["a ` b", "src/x.ts:1", 5]],
  );
});

test("underlined headings start sections too [project.parser] [project.bytes]", async () => {
  const underlined = seedNotes
    .replace(/^# (.*)$/m, "$1\n===")
    .replace(/^## (.*)$/gm, (_, title: string) => `${title}\n${"-".repeat(title.length)}`);
  const { project, call, read } = makeProject({ notes: underlined });
  assert.deepEqual(
    (await lintProject(project)).findings.filter(({ rule }) => rule !== "stale-reference"),
    [],
  );
  const { id } = await call("log_debt", { description: "third" });
  await call("set_goal", { goal: "Another goal" });
  const added = read()
    .split("\n")
    .filter((line) => !underlined.split("\n").includes(line));
  assert.deepEqual(added, ["- [ ] Another goal", `| ${id} | third | MEDIUM | agent | - |`]);
});

test("debt ids are never reused, even after the row or the working files are gone [project.debt]", async () => {
  const { root, call, read, write } = makeProject({ notes: seedNotes });
  assert.equal((await call("log_debt", { description: "third" })).id, "TD-003");
  git(root, "init", "-q");
  git(root, "add", "-f", "grimoires/loa/NOTES.md");
  git(root, "commit", "-qm", "notes");
  write(seedNotes);
  git(root, "commit", "-qam", "without the third");
  rmSync(notesFolder(root), { recursive: true });
  const input = { description: "fourth", severity: "LOW", found_by: "x", sprint: "S4" };
  assert.equal((await call("log_debt", input)).id, "TD-004");
  assert.match(read(), /^\| TD-004 \| fourth \| LOW \| x \| S4 \|$/m);
  write(seedNotes);
  assert.equal((await call("log_debt", { description: "fifth" })).id, "TD-005");
});

test("an id that was added and removed in another person's commits, or before a rename, is not reused [project.debt]", async () => {
  const { root, clock, call, write } = makeProject({ notes: seedNotes, path: "docs/NOTES.md" });
  git(root, "init", "-q");
  git(root, "add", "-f", "docs/NOTES.md");
  git(root, "commit", "-qm", "notes");
  assert.equal((await call("log_debt", { description: "ours" })).id, "TD-003");
  write(seedNotes.replace("| TD-002 |", "| TD-009 |"));
  git(root, "commit", "-qam", "theirs");
  write(seedNotes);
  git(root, "commit", "-qam", "theirs is done");
  assert.equal((await call("log_debt", { description: "next" })).id, "TD-010");
  write(seedNotes);
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  git(root, "mv", "docs/NOTES.md", "grimoires/loa/NOTES.md");
  git(root, "commit", "-qam", "moved");
  rmSync(notesFolder(root), { recursive: true });
  const moved = openProject({ root, clock });
  assert.equal((await callOperation(moved, "log_debt", { description: "in a new clone" })).id, "TD-010");
});

test("goals, blockers and questions are added once, changed in place and closed [project.lists]", async () => {
  const { call, read } = makeProject({ notes: seedNotes });
  await call("set_goal", { goal: "implement authentication flow", status: "done" });
  assert.match(
    read(),
    /^- \[x\] Implement authentication flow \(blocking: waiting on OAuth provider setup\)$/m,
  );
  await call("set_goal", { goal: "Refactor database layer", depends_on: "nothing" });
  assert.match(read(), /^- \[ \] Refactor database layer \(depends on: nothing\)$/m);
  await call("log_blocker", { blocker: "OAuth provider credentials", resolution: "they came" });
  assert.match(read(), /^- Resolved: OAuth provider credentials \(2026-03-01T10:00:\d\dZ: they came\)$/m);
  await call("log_blocker", { blocker: "A signature", kind: "blocked" });
  assert.match(read(), /^- Blocked: A signature$/m);
  await call("ask_question", { question: "Should grace period be configurable per-client?", answer: "No" });
  assert.match(read(), /^- \[x\] Should grace period be configurable per-client\? — No$/m);
  await assert.rejects(call("log_blocker", { blocker: "unheard of", resolution: "x" }), {
    code: "not_found",
  });
  await call("log_blocker", { blocker: "Blocked: a licence" });
  assert.match(read(), /^- Blocked: a licence$/m);
  await call("set_goal", { goal: "Waiting: room to be painted" });
  await call("set_goal", { goal: "Waiting: room to be painted", status: "done" });
  assert.match(read(), /^- \[x\] Waiting: room to be painted$/m);
  const before = read();
  assert.match(
    (await call("log_blocker", { blocker: "A signature", kind: "blocked" })).text,
    /Already recorded/,
  );
  assert.equal(read(), before);
});

test("an item keeps its bullet, wrapped lines and nested items; a new item is never mistaken for an old one [project.lists]", async () => {
  const { call, read } = makeProject({
    notes:
      "## Active Sub-Goals\n* [ ] Add login\n  for everybody\n  - with a nested point\n\n* [x] Add logout\n",
  });
  await call("set_goal", { goal: "add login for everybody", blocked_by: "design" });
  await call("set_goal", { goal: "Add log", status: "open" });
  await call("set_goal", { goal: "Add logout", status: "open" });
  assert.equal(
    read(),
    "## Active Sub-Goals\n* [ ] Add login\n  for everybody (blocking: design)\n  - with a nested point\n\n* [ ] Add logout\n- [ ] Add log\n",
  );
  await call("set_goal", { goal: "login for", status: "done" });
  assert.match(read(), /^\* \[x\] Add login\n {2}for everybody \(blocking: design\)$/m);
});

test("archiving moves all but the newest decisions, with their evidence and scenarios [project.archive]", async () => {
  const { call, read, project } = makeProject();
  for (let index = 0; index < 5; index++)
    await call("log_decision", { ...decision, title: `Number ${index}` }, { agent: "architect" });
  assert.match((await call("archive", { keep: 2 })).text, /Archived 3 decisions; 2 remain/);
  const notes = parseNotes(read());
  assert.deepEqual(
    entriesOf(notes).map(({ name }) => name),
    ["Number 3", "Number 4"],
  );
  const rows = read()
    .split("\n")
    .filter((line) => line.includes("Number 0: "));
  assert.equal(rows.length, 1);
  assert.match(rows[0] ?? "", /isTokenExpired\(token: Token.*At the boundary.*\| architect \|$/);
  assert.deepEqual((await lintProject(project)).findings, []);
  assert.match((await call("archive", { keep: 2 })).text, /Archived 0/);
});
