import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { EntryKind } from "./entries.ts";
import { lintProject } from "./lint.ts";
import { entriesOf, itemsOf, parseNotes, rowsOf } from "./notes.ts";
import { callOperation, decision, jwt, makeProject, seedNotes } from "./test-support/project.ts";

const entry = (kind: EntryKind, text: string, more: object = {}): [string, Record<string, unknown>] => [
  "log_entry",
  { kind, text, ...more },
];

/** One call per kind that adds something. */
const additions: [name: string, input: Record<string, unknown>][] = [
  ["log_decision", decision],
  entry("debt", "N+1 query | in the user list", { severity: "high", detail: "S03" }),
  entry("goal", "A goal that is new (blocking: the weather)"),
  entry("blocker", "A blocker that is new (ETA: 2027-01-15)"),
  entry("identifier", "src/auth/jwt.ts:1-2", { detail: "Where tokens are read" }),
  entry("question", "A question that is new?"),
];

/** Whether `after` contains every line of `before`, in order; only the last line may gain a line end. */
function containsAllLines(before: string, after: string): boolean {
  const rest = [...parseNotes(after).lines];
  return parseNotes(before).lines.every((line, index, all) => {
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
  test(`an edit keeps every line of the example with ${name} byte for byte [project.bytes]`, async () => {
    assert.equal(parseNotes(text).lines.join(""), text);
    for (const [operation, input] of additions) {
      const { read, call } = makeProject({ notes: text });
      await call(operation, input);
      assert.notEqual(read(), text);
      assert.ok(containsAllLines(text, read()), `${JSON.stringify(input)} changed other lines`);
    }
  });
}

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
  const { project, read, write, call, log } = makeProject();
  const empty = read();
  const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim().replaceAll("\\", "");
  await fc.assert(
    fc.asyncProperty(words, words, words, async (first, second, third) => {
      write(empty);
      const texts = { decision: first, rationale: second, title: third, scenarios: [first, second, third] };
      await call("log_decision", { ...decision, ...texts });
      await log("debt", first, { detail: third });
      await log("goal", first);
      await log("goal", first, { done: true });
      await log("blocker", first);
      await log("blocker", first, { done: true, detail: second });
      await call("log_handoff", { summary: first, next: second, task: third }, { agent: third });
      const notes = parseNotes(read());
      const [entry, ...others] = entriesOf(notes);
      assert.ok(entry && others.length === 0);
      assert.deepEqual([plain(entry.decision), plain(entry.rationale)], [plain(first), plain(second)]);
      assert.deepEqual([entry.evidence.length, entry.scenarios.length], [1, 3]);
      const rows = rowsOf(notes, "debt");
      assert.deepEqual([rows.length, rows[0]?.cells.length], [1, 5]);
      assert.equal(plain(rows[0]?.values.description ?? ""), plain(first));
      for (const key of ["goals", "blockers"] as const) assert.equal(itemsOf(notes, key).length, 1);
      await log("archive", "0");
      assert.deepEqual((await lintProject(project)).findings, []);
    }),
    { numRuns: 15 },
  );
});

test("every operation leaves a file without lint findings [project.clean]", async () => {
  const { project, call } = makeProject();
  const steps: [string, Record<string, unknown>][] = [
    ...additions,
    entry("goal", "A goal that is new", { done: true }),
    entry("blocker", "A blocker that is new", { done: true, detail: "the weather changed" }),
    entry("question", "A question that is new?", { done: true, detail: "yes | no" }),
    entry("context", "Write the lexer", { detail: "Parser" }),
    [
      "log_handoff",
      { summary: `Did ${"very ".repeat(200)}much`, next: "go ".repeat(300), task: "多".repeat(400) },
    ],
    ["log_decision", { ...decision, decision: "Use `a` | **b** <!-- c", title: "# 1. [x] `" }],
    entry("archive", "1"),
    entry("archive", "0"),
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
  await refused({ evidence: [] }, "invalid_input");
  await refused({ scenarios: ["one", "two"] }, "invalid_input");
  await refused({ rationale: " " }, "invalid_input");
  await refused({ rationale: "x".repeat(2_001) }, "over_limit");
  await refused({ evidence: [{ quote: "isTokenExpird(", path: "src/auth/jwt.ts" }] }, "text_not_found");
  await refused({ evidence: [{ quote: "x", path: "src/none.ts" }] }, "not_found");
  await refused({ evidence: [{ quote: "root", path: "../../etc/passwd" }] }, "invalid_input");
  const quote = jwt.split("\n").slice(2, 4).join("\n");
  const { text, line } = await call("log_decision", {
    ...decision,
    evidence: [{ quote, path: `${root}/src/auth/jwt.ts:1` }],
    title: "Token expiry",
  });
  assert.match(text, /the quote is on line 3, not 1/);
  const notes = parseNotes(read());
  const [entry] = entriesOf(notes);
  assert.ok(entry);
  assert.equal(entry.line + 1, line);
  assert.equal(entry.name, "Token expiry");
  assert.match(entry.timestamp, /^2026-03-01T10:00:\d\dZ$/);
  assert.deepEqual(
    entry.evidence.map((each) => [each.quote, each.reference?.text]),
    [
      [
        "export function isTokenExpired(token: Token, graceMs = 900000) {",
        "$" + "{PROJECT_ROOT}/src/auth/jwt.ts:3",
      ],
      ["return token.expiresAt + graceMs < Date.now();", "$" + "{PROJECT_ROOT}/src/auth/jwt.ts:4"],
    ],
  );
  assert.deepEqual(entry.scenarios, decision.scenarios);
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
  const { decision: text, rationale, evidence, scenarios } = entry;
  assert.deepEqual(
    { text, rationale, scenarios },
    { text: "do it", rationale: "because", scenarios: ["one", "two"] },
  );
  assert.deepEqual(
    evidence.map(({ quote, reference, line }) => [quote, reference?.text, line]),
    [["a ` b", "src/x.ts:1", 5]],
  );
});

test("a deeper heading in the decision log belongs to the entry above it, and begins none [project.parser]", () => {
  const notes = parseNotes(
    ["### Decision Log", "##### Aside", "#### 2024-01-15T14:30:00Z - Title", "##### Why", "words"].join("\n"),
  );
  assert.deepEqual(
    entriesOf(notes).map(({ name, other, end }) => [name, other, end]),
    [["Title", ["##### Why", "words"], 5]],
  );
});

test("code, comments and quotes contain no sections, items or rows [project.parser]", async () => {
  const inert =
    "```md\n## Active Sub-Goals\n- [ ] in code\n```\n\n<!--\n## Active Sub-Goals\n- [ ] in a comment\n-->\n\n> ## Active Sub-Goals\n> - [ ] quoted\n\n";
  const { read, log } = makeProject({ notes: seedNotes.replace("## Active Sub-Goals", `${inert}$&`) });
  const notes = parseNotes(read());
  assert.deepEqual(
    itemsOf(notes, "goals").map(({ text }) => text.split(" (")[0]),
    ["Implement authentication flow", "Refactor database layer"],
  );
  await log("goal", "Another goal");
  assert.match(read(), /^- \[ \] Refactor database layer .*\n- \[ \] Another goal$/m);
});

test("a call that lacks a field, or has one of another kind, is answered with an example [project.instructive]", async () => {
  const { call, log, read } = makeProject();
  const before = read();
  const refused: [work: () => Promise<unknown>, message: string][] = [
    [
      () => log("identifier", "src/auth/jwt.ts:3"),
      'An entry of the kind identifier needs "detail". Nothing was changed. Call it like this: {"kind":"identifier","text":"src/auth/jwt.ts:45-67","detail":"Token validation"}.',
    ],
    [
      () => log("goal", "x", { severity: "HIGH" }),
      'An entry of the kind goal does not take "severity". Nothing was changed. Call it like this: {"kind":"goal","text":"Add login (blocking: OAuth setup)"}.',
    ],
    [
      () => log("question", "x?", { detail: "y" }),
      'An entry of the kind question takes "detail" only with "done": true. Nothing was changed. Call it like this: {"kind":"question","text":"Is the limit per client?","done":true,"detail":"Yes"}.',
    ],
    [
      () => log("debt", "x", { severity: "bad" }),
      '"severity" must be one of LOW, MEDIUM, HIGH, CRITICAL (got "bad"). Nothing was changed. Call again with one of them.',
    ],
    [
      () => log("blocker", "keys (ETA: soon)"),
      'The ETA must be a date such as 2026-01-15 (got "soon"). Nothing was changed.',
    ],
    [
      () => log("archive", "all"),
      '"text" must be how many of the newest decisions stay in the log (got "all"). Nothing was changed. Use a number such as "10".',
    ],
    [
      () => call("log_decision", { ...decision, scenarios: ["one", "two"] }),
      '"scenarios" has 2 of three test scenarios. Nothing was changed. Give the happy path, an edge case and an error.',
    ],
    [() => call("recover_context", { level: 4 }), '"level" must be 1, 2 or 3 (got 4).'],
  ];
  for (const [work, message] of refused) await assert.rejects(work, { code: "invalid_input", message });
  const message = '"text" has more than 2000 characters. Nothing was changed. Shorten it.';
  await assert.rejects(log("goal", "x".repeat(2_001)), { code: "over_limit", message });
  assert.equal(read(), before);
});

test("debt gets the id after the highest one in the file, and the same debt is logged once [project.debt]", async () => {
  const { log, read, write } = makeProject({ notes: seedNotes });
  const third = await log("debt", "third", { severity: "LOW", detail: "S4" });
  assert.equal(third.id, "TD-003");
  const written = read();
  assert.match(written, /^\| TD-003 \| third \| LOW \| agent \| S4 \|$/m);
  const again = await log("debt", "third");
  assert.deepEqual([again.id, read()], ["TD-003", written]);
  assert.match(again.text, /^Already logged as TD-003 on line \d+\.$/);
  const changed = await log("debt", "third", { severity: "critical", detail: "S04" });
  assert.match(changed.text, /^Changed TD-003 on line \d+: severity CRITICAL, sprint S04\.$/);
  assert.match(read(), /^\| TD-003 \| third \| CRITICAL \| agent \| S04 \|$/m);
  assert.match((await log("debt", "third")).text, /^Already logged as TD-003/);
  write(`${seedNotes}\nSee TD-011, which is done.\n`);
  assert.equal((await log("debt", "fourth")).id, "TD-012", "an id that is still mentioned is not free");
});

test("a decision or a handoff that a client sends again is not written twice [project.repeated]", async () => {
  const { call, read } = makeProject();
  const first = await call("log_decision", decision);
  await call("log_handoff", { summary: "Done" });
  const written = read();
  const again = await call("log_decision", decision);
  assert.equal(again.text, `Already logged (${first.id}) on line ${first.line}.`);
  await call("log_handoff", { summary: "Done" });
  assert.equal(read(), written);
  await call("log_decision", { ...decision, rationale: "Another reason" });
  assert.notEqual(read(), written, "a decision with another reason is another decision");
});

test("goals, blockers and questions are added once, changed in place and closed [project.lists]", async () => {
  const { log, read } = makeProject({ notes: seedNotes });
  await log("goal", "implement authentication flow", { done: true });
  assert.match(
    read(),
    /^- \[x\] Implement authentication flow \(blocking: waiting on OAuth provider setup\)$/m,
  );
  await log("goal", "Refactor database layer (depends on: nothing)");
  assert.match(read(), /^- \[ \] Refactor database layer \(depends on: nothing\)$/m);
  await log("blocker", "OAuth provider credentials", { done: true, detail: "they came" });
  assert.match(read(), /^- Resolved: OAuth provider credentials \(2026-03-01T10:00:\d\dZ: they came\)$/m);
  await log("blocker", "Blocked: A signature");
  assert.match(read(), /^- Blocked: A signature$/m);
  await log("question", "Should grace period be configurable per-client?", { done: true, detail: "No" });
  assert.match(read(), /^- \[x\] Should grace period be configurable per-client\? — No$/m);
  await assert.rejects(log("blocker", "unheard of", { done: true, detail: "x" }), {
    code: "not_found",
  });
  await log("blocker", "Blocked: a licence");
  assert.match(read(), /^- Blocked: a licence$/m);
  await log("goal", "Waiting: room to be painted");
  await log("goal", "Waiting: room to be painted", { done: true });
  assert.match(read(), /^- \[x\] Waiting: room to be painted$/m);
  const before = read();
  assert.match((await log("blocker", "Blocked: A signature")).text, /Already recorded/);
  assert.equal(read(), before);
});

const literal = (text: string) => text.replaceAll(/[?()]/g, "\\$&");

test("an item that was closed with an outcome is reopened in place and keeps its text [project.lists] [project.repeated]", async () => {
  const stamp = String.raw`\(2026-03-01T10:00:\d\dZ: shipped\)`;
  const added = [
    ["goal", "Ship - to prod", "", "\\[x\\] ", "\\[ \\] ", " — shipped"],
    ["goal", "Sell", " (depends on: review)", "\\[x\\] ", "\\[ \\] ", " — shipped"],
    ["question", "Is it slow?", "", "\\[x\\] ", "\\[ \\] ", " — shipped"],
    ["blocker", "OAuth keys", " (ETA: 2026-05-01)", "Resolved: ", "Waiting: ", ` ${stamp}`],
  ] as const;
  for (const [kind, body, note, closed, open, outcome] of added) {
    const { log, read } = makeProject();
    const text = body + note;
    const lines = () => read().match(new RegExp(`^.*${literal(body)}.*$`, "gm")) ?? [];
    await log(kind, text);
    await log(kind, text, { done: true, detail: "shipped" });
    assert.match(lines().join("\n"), new RegExp(`^- ${closed}${literal(body)}${outcome}$`));
    const written = read();
    for (const again of [{ done: true, detail: "Shipped" }, { done: true }])
      assert.match((await log(kind, text, again)).text, /^Already recorded/);
    assert.equal(read(), written);
    await assert.rejects(log(kind, text, { done: true, detail: "another" }), { code: "not_found" });
    assert.match((await log(kind, text, { done: false })).text, /^Changed/);
    const reopened = new RegExp(`^- ${open}${literal(body)}${outcome}${literal(note)}$`);
    assert.match(lines().join("\n"), reopened);
    assert.match((await log(kind, text, { done: false })).text, /^Already recorded/);
    await log(kind, text, { done: true, detail: "twice — now" });
    assert.equal(lines().length, 1);
    assert.match(lines()[0] ?? "", new RegExp(`^- ${closed}.*shipped.*twice — now\\)?$`));
    assert.match((await log(kind, text, { done: true, detail: "twice — now" })).text, /^Already recorded/);
  }
});

test("a reopened item keeps every word that a person wrote [project.lists]", async () => {
  const resolved = "Keys (2026-03-01T10:00:00Z: here) from *ops*";
  const items = [
    [
      "goal",
      "## Active Sub-Goals",
      "[x] ",
      "[ ] ",
      "Release 1.0 — the blog post needs **bold**",
      "Release 1.0",
    ],
    ["question", "## Pending Questions", "[x] ", "[ ] ", "Why? — see  the `log`", "Why?"],
    ["blocker", "## Blockers & Dependencies", "Resolved: ", "Waiting: ", resolved, "Keys"],
  ] as const;
  for (const [kind, heading, closed, open, text, start] of items) {
    const rest = `${text}\n  a second  line (2026-03-01T10:00:00Z: and more)\n  - nested`;
    const before = `${heading}\n\n- ${closed}${rest}\n`;
    const { log, read, write } = makeProject({ notes: before });
    write(before);
    assert.match((await log(kind, start, { done: false })).text, /^Changed/, kind);
    assert.equal(read(), `${heading}\n\n- ${open}${rest}\n`);
  }
});

test("a new item is added next to a closed one that begins with the same text [project.lists]", async () => {
  for (const [kind, closed, text] of [
    ["goal", "Deploy — staging", "Deploy"],
    ["question", "Which port? — 80", "Which port?"],
    ["blocker", "Waiting: keys", "Blocked: keys"],
  ] as const) {
    const { log, read } = makeProject();
    await log(kind, closed);
    await log(kind, closed, { done: true });
    const before = read();
    assert.match((await log(kind, text)).text, /^Added/);
    assert.ok(containsAllLines(before, read()));
    assert.match((await log(kind, text)).text, /^Already recorded/);
    // Other items contain the text, and the one with exactly this text is closed.
    await log(kind, `${text} now`);
    await log(kind, text, { done: true, detail: "went well" });
    assert.match(read(), new RegExp(`^- .*${literal(text.replace("Blocked: ", ""))} .*went well\\)?$`, "m"));
    assert.ok(containsAllLines(before, read()));
  }
});

test("a closed item does not stand for an open one that contains the text [project.lists]", async () => {
  const { log, read } = makeProject();
  await log("goal", "Deploy — staging");
  await log("goal", "Deploy — staging", { done: true });
  await log("goal", "Deploy to all regions");
  await log("goal", "Deploy", { done: true });
  assert.match(read(), /^- \[x\] Deploy — staging\n- \[x\] Deploy to all regions$/m);
});

test("words in parentheses after a note are not part of the note [project.lists]", async () => {
  const { log, read } = makeProject();
  await log("goal", "Ship (depends on: review) — blog post (draft)");
  await log("goal", "Ship (depends on: tests)");
  await log("blocker", "Waiting: keys (ETA: 2026-05-01), ask ops (room 4)");
  await log("blocker", "keys", { done: true, detail: "here" });
  assert.match(read(), /^- \[ \] Ship \(depends on: review\) — blog post \(draft\)$/m);
  assert.match(read(), /^- Resolved: keys \(ETA: 2026-05-01\), ask ops \(room 4\) \(2026\S+: here\)$/m);
  await log("goal", "Pack — not yet (depends on: boxes)");
  await log("goal", "Pack (blocking: tape)", { done: false });
  assert.match(read(), /^- \[ \] Pack — not yet \(depends on: boxes\) \(blocking: tape\)$/m);
  await log("goal", "Sell (blocking: a call (or two)) (depends on: Ship)");
  await log("goal", "Sell (blocking: nothing)");
  assert.match(read(), /^- \[ \] Sell \(blocking: nothing\)$/m);
});

test("an item keeps its bullet, wrapped lines and nested items; a new item is never mistaken for an old one [project.lists]", async () => {
  const { log, read } = makeProject({
    notes:
      "## Active Sub-Goals\n* [ ] Add login\n  for everybody\n  - with a nested point\n\n* [x] Add logout\n",
  });
  await log("goal", "add login for everybody (blocking: design)");
  await log("goal", "Add log", { done: false });
  await log("goal", "Add logout", { done: false });
  assert.equal(
    read(),
    "## Active Sub-Goals\n* [ ] Add login\n  for everybody (blocking: design)\n  - with a nested point\n\n* [ ] Add logout\n- [ ] Add log\n",
  );
  await log("goal", "login for", { done: true });
  assert.match(read(), /^\* \[x\] Add login\n {2}for everybody \(blocking: design\)$/m);
});

test("an identifier that is tracked again keeps the cells of a person's own column [project.bytes]", async () => {
  const { log, read } = makeProject({
    notes:
      "### Lightweight Identifiers\r\n| Identifier | Constructor | Purpose | Last Verified |\r\n|---|:-:|---|---|\r\n|" +
      " $" +
      "{PROJECT_ROOT}/src/auth/jwt.ts:3 |  Ann \\| Bob|old | - |\r\n",
  });
  const { text } = await log("identifier", "src/auth/jwt.ts:3", { detail: "Expiry | skew" });
  assert.equal(text, "Updated: $" + "{PROJECT_ROOT}/src/auth/jwt.ts:3 (line 4).");
  assert.match((await log("identifier", "src/auth", { detail: "All" })).text, /line 5/);
  assert.match(read(), /^\| \S+\/src\/auth \| - \| All \| \S+ \|\r$/m);
  assert.match(read(), /jwt\.ts:3 \| {2}Ann \\\| Bob\| Expiry \\\| skew \| 2026-03-01T10:00:\d\dZ \|\r\n/);
});

test("archiving moves all but the newest decisions, with their evidence and scenarios [project.archive]", async () => {
  const { call, log, read, project } = makeProject();
  for (let index = 0; index < 5; index++)
    await call("log_decision", { ...decision, title: `Number ${index}` }, { agent: "architect" });
  assert.match((await log("archive", "2")).text, /Archived 3 decisions; 2 remain/);
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
  assert.match((await log("archive", "2")).text, /Archived 0/);
});
