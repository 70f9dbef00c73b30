import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { holdfastWith } from "../../../test/support/people.ts";
import { templateText } from "./layout.ts";
import { startProjectSession } from "./lifecycle.ts";
import { lintProject } from "./lint.ts";
import { decisionText, git, makeProject, seedNotes } from "./test-support/project.ts";

const mark = "$" + "{PROJECT_ROOT}";
const clean = templateText("2026-03-01T10:00:00Z");
const withDecision = clean.replace("### Pending", `${decisionText(1)}\n\n### Pending`);
const row = (text: string) => clean.replace("\n## Blockers", `${text}\n\n## Blockers`);
const identifier = (text: string) => clean.replace("\n### Decision Log", `${text}\n\n### Decision Log`);
const logRow = (text: string) => clean.replace("\n## Decision Archive", `${text}\n\n## Decision Archive`);

/** A rule, a text that violates it, and the offending line. */
const planted: [rule: string, text: string | Buffer, line: string][] = [
  ["readable", Buffer.concat([Buffer.from(`${clean}\n`), Buffer.from([0x61, 0xff, 0x0a])]), "a\ufffd"],
  ["readable", `${clean}\na\u0000b\n`, "a\u0000b"],
  [
    "readable",
    clean.replace("## Blockers", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n## Blockers"),
    "<<<<<<< HEAD",
  ],
  ["readable", `${clean}\n<<<<<<< HEAD\nhalf\n`, "<<<<<<< HEAD"],
  ["readable", `${clean}\na\n=======\nb\n>>>>>>> topic\n`, ">>>>>>> topic"],
  ["readable", `${clean}\n\`\`\`ts\nconst a = 1;\n`, "```ts"],
  ["readable", `${clean}\n<!-- never closed\n`, "<!-- never closed"],
  ["section", "# Shopping\n\n- milk\n", "# Shopping"],
  ["section", "", ""],
  [
    "section",
    clean.replace(/### Pending Questions\n.*\n/, ""),
    "|------|----------|-----------|------------|",
  ],
  ["section", clean.slice(0, clean.indexOf("## Decision Archive")), ""],
  ["section", `${clean}\n## Active Sub-Goals\n`, "## Active Sub-Goals"],
  ["table", row("| TD-001 | too short | HIGH |"), "| TD-001 | too short | HIGH |"],
  ["table", row("| TD-001 | a | b | HIGH | x | S1 |"), "| TD-001 | a | b | HIGH | x | S1 |"],
  [
    "table",
    clean.replace("|----|-------------|----------|----------|--------|", "|----|----|"),
    "## Discovered Technical Debt",
  ],
  [
    "table",
    clean.replace("| ID | Description |", "| Nr | Description |"),
    "| Nr | Description | Severity | Found By | Sprint |",
  ],
  [
    "table",
    clean.replace("| Timestamp | Agent | Summary |\n|-----------|-------|---------|\n", ""),
    "## Session Continuity Log",
  ],
  ["table", row("\n| TD-001 | apart | HIGH | x | S1 |"), "| TD-001 | apart | HIGH | x | S1 |"],
  ["debt-id", row("| 7 | no id | HIGH | x | S1 |"), "| 7 | no id | HIGH | x | S1 |"],
  [
    "debt-id",
    row("| TD-001 | a | HIGH | x | - |\n| TD-001 | b | LOW | x | - |"),
    "| TD-001 | b | LOW | x | - |",
  ],
  ["severity", row("| TD-001 | a | high | x | - |"), "| TD-001 | a | high | x | - |"],
  ["severity", row("| TD-001 | a | bad | x | - |"), "| TD-001 | a | bad | x | - |"],
  ["timestamp", logRow("| 2024-01-10 14:30 | a | b |"), "| 2024-01-10 14:30 | a | b |"],
  ["timestamp", logRow("| Jan 10th | a | b |"), "| Jan 10th | a | b |"],
  ["timestamp", logRow("| 2026-02-31T10:00:00Z | a | b |"), "| 2026-02-31T10:00:00Z | a | b |"],
  [
    "token-budget",
    clean.replace("### Active Context", `${"prose ".repeat(150)}\n\n### Active Context`),
    "## Session Continuity",
  ],
  [
    "token-budget",
    clean.replace("### Active Context\n", `### Active Context\n${"prose ".repeat(300)}\n\n`),
    "### Active Context",
  ],
  [
    "timestamp",
    withDecision.replace("2024-01-01T01:00:00Z - ", "2024-01-01 01:00 - "),
    "#### 2024-01-01 01:00 - Decision number 1",
  ],
  ["timestamp", clean.replace("2026-03-01T10:00:00Z", "last week"), "- **Last Checkpoint**: last week"],
  [
    "timestamp",
    identifier(`| ${mark}/src/auth/jwt.ts:1 | x | noon |`),
    `| ${mark}/src/auth/jwt.ts:1 | x | noon |`,
  ],
  ["path-root", identifier("| src/auth/jwt.ts:1 | x | 14:25:00Z |"), "| src/auth/jwt.ts:1 | x | 14:25:00Z |"],
  [
    "path-root",
    identifier("| ./src/auth/jwt.ts:1 | x | 14:25:00Z |"),
    "| ./src/auth/jwt.ts:1 | x | 14:25:00Z |",
  ],
  ["path-root", identifier("| /etc/passwd | x | 14:25:00Z |"), "| /etc/passwd | x | 14:25:00Z |"],
  [
    "path-root",
    withDecision.replace(`[${mark}/src`, "[src"),
    "- `export function isTokenExpired(token: Token` [src/auth/jwt.ts:3]",
  ],
  [
    "decision",
    withDecision.replace(/\*\*Rationale.*\n/, ""),
    "#### 2024-01-01T01:00:00Z - Decision number 1",
  ],
  ["decision", withDecision.replace("3. Three\n", ""), "#### 2024-01-01T01:00:00Z - Decision number 1"],
  ["decision", withDecision.replace(/- `export.*\n/, ""), "#### 2024-01-01T01:00:00Z - Decision number 1"],
  ["decision", withDecision.replace("2024-01-01T01:00:00Z - ", ""), "#### Decision number 1"],
  [
    "decision",
    withDecision.replace(/- `(.*)` \[/, "- $1 ["),
    `- export function isTokenExpired(token: Token [${mark}/src/auth/jwt.ts:3]`,
  ],
  ["decision", withDecision.replace(/ \[.*jwt.*\]/, ""), "- `export function isTokenExpired(token: Token`"],
  [
    "stale-reference",
    withDecision.replace("isTokenExpired(", "isTokenStale("),
    `- \`export function isTokenStale(token: Token\` [${mark}/src/auth/jwt.ts:3]`,
  ],
  [
    "stale-reference",
    withDecision.replace("jwt.ts:3", "jwt.ts:9"),
    `- \`export function isTokenExpired(token: Token\` [${mark}/src/auth/jwt.ts:9]`,
  ],
  [
    "stale-reference",
    identifier(`| ${mark}/src/gone.ts | x | 14:25:00Z |`),
    `| ${mark}/src/gone.ts | x | 14:25:00Z |`,
  ],
  [
    "stale-reference",
    identifier(`| ${mark}/src/auth/jwt.ts:4000 | x | 14:25:00Z |`),
    `| ${mark}/src/auth/jwt.ts:4000 | x | 14:25:00Z |`,
  ],
  ["checkbox", clean.replace("\n## Discovered", "- do it\n\n## Discovered"), "- do it"],
  [
    "blocker-kind",
    clean.replace("\n## Session Continuity Log", "- something\n\n## Session Continuity Log"),
    "- something",
  ],
  [
    "token-budget",
    clean.replace("Nothing has been worked on yet", "and then ".repeat(200)),
    "### Active Context",
  ],
  [
    "token-budget",
    clean.replace("\n## Active", `- [ ] ${"why ".repeat(100)}?\n\n## Active`),
    `- [ ] ${"why ".repeat(100)}?`,
  ],
];

test("the template has no findings, and neither has the example when its code exists [project.clean]", async () => {
  const { project } = makeProject({ notes: clean });
  assert.deepEqual((await lintProject(project)).findings, []);
  const example = makeProject({
    notes: seedNotes,
    files: {
      "src/auth/jwt.ts": `${"\n".repeat(51)}export function isTokenExpired(token: Token, graceMs = 900000)\n${"\n".repeat(40)}`,
      "src/auth/refresh.ts": "\n".repeat(40),
    },
  });
  assert.deepEqual((await lintProject(example.project)).findings, []);
});

test("every planted fault is found on its line, and linting changes nothing [project.lint]", async () => {
  for (const [rule, text, line] of planted) {
    const { project, read } = makeProject({ notes: text });
    const before = read();
    const { findings } = await lintProject(project);
    const found = findings.filter((each) => each.rule === rule);
    const name = `${rule} in ${JSON.stringify(line)}`;
    assert.ok(found.length > 0, `${name} was not found: ${JSON.stringify(findings)}`);
    const lines = before.replace(/^\uFEFF/, "").split(/\r?\n/);
    assert.ok(
      found.some((each) => (lines[each.line - 1] ?? "") === line),
      `${name}: ${JSON.stringify(found)}`,
    );
    assert.equal(read(), before, name);
  }
  const page = readFileSync(join(import.meta.dirname, "../../../docs/project.md"), "utf8");
  const [, table = ""] = /## Lint\n([\s\S]*?)\n## /.exec(page) ?? [];
  const documented = Array.from(table.matchAll(/^\| `([a-z-]+)`/gm), ([, rule]) => rule);
  const rules = new Set([...planted.map(([rule]) => rule), "append-only-log"]);
  assert.deepEqual(documented.toSorted(), [...rules].toSorted());
});

test("changing committed rows of the handoff log is a finding [project.append-only]", async () => {
  const { root, project, read, write, call } = makeProject();
  const skipped = await lintProject(project);
  assert.deepEqual(
    skipped.skipped.map(({ rule }) => rule),
    ["append-only-log"],
  );
  await call("log_handoff", { summary: "first" });
  await call("log_handoff", { summary: "second" });
  git(root, "init", "-q");
  git(root, "add", "-f", "grimoires/loa/NOTES.md");
  git(root, "commit", "-qm", "notes");
  const committed = read();
  await call("log_handoff", { summary: "third" });
  assert.deepEqual(await lintProject(project), { file: "grimoires/loa/NOTES.md", findings: [], skipped: [] });
  const faults = [
    committed.replace("| first |", "| other |"),
    committed.replace(/^.*\| second \|\n/m, ""),
    committed.replace(/^(.*\| first \|\n)(.*\| second \|\n)/m, "$2$1"),
    committed.replace(/^(.*\| first \|\n)/m, "| 2020-01-01T00:00:00Z | a | sneaked in |\n$1"),
  ];
  for (const text of faults) {
    assert.notEqual(text, committed);
    write(text);
    const { findings } = await lintProject(project);
    assert.deepEqual(
      findings.map(({ rule }) => rule),
      ["append-only-log"],
    );
    assert.match(read().split("\n")[(findings[0]?.line ?? 0) - 1] ?? "", /^\|/);
  }
});

test("the command prints lines or JSON and sets the exit code [project.lint-output]", async () => {
  const { root, read } = makeProject({
    notes: row("| TD-001 | a | high | x | - |\n| TD-001 | b | LOW | x | - |"),
  });
  const at = (id: string) =>
    read()
      .split("\n")
      .findIndex((line) => line.includes(id)) + 1;
  const plain = await holdfastWith({}, "project", "lint", "--root", root);
  assert.equal(plain.code, 1);
  assert.match(plain.stdout, new RegExp(`^grimoires/loa/NOTES\\.md:${at("| a |")}: severity: `, "m"));
  assert.match(plain.stderr, /append-only-log was not checked/);
  const json = JSON.parse((await holdfastWith({}, "project", "lint", "--root", root, "--json")).stdout) as {
    findings: { rule: string; line: number }[];
  };
  assert.deepEqual(
    json.findings.map(({ rule, line }) => [rule, line]),
    [
      ["severity", at("| a |")],
      ["debt-id", at("| b |")],
    ],
  );
  const fixing = await holdfastWith({}, "project", "lint", "--root", root, "--fix");
  assert.equal(fixing.code, 2);
  assert.match(fixing.stderr, /takes no --fix\. "holdfast project verify --fix"/);
  assert.equal(
    (await holdfastWith({}, "project", "lint", "--root", root, "--file", "none/NOTES.md")).code,
    2,
  );
});

test("a half-written file with conflicts, tabs and CRLF is read, reported and not rewritten [project.bad-files]", async () => {
  const entries = Array.from({ length: 1_000 }, (_, index) => decisionText(index)).join("\n\n");
  const text =
    `${clean.replace("### Pending", `${entries}\n\n### Pending`)}\n<<<<<<< HEAD\n| half`.replaceAll(
      "\n",
      "\r\n",
    );
  assert.ok(text.length > 250_000);
  const { project, read, call, log } = makeProject({ notes: text });
  const rules = new Set((await lintProject(project)).findings.map(({ rule }) => rule));
  assert.ok(rules.has("readable"));
  assert.equal(read(), text);
  assert.match((await call("recover_context", { level: 1 })).text, /Decision number 671/);
  await log("debt", "it still works");
  assert.match(read(), /\| TD-001 \| it still works \| MEDIUM \| agent \| - \|\r\n/);
});

test("a file that is too large for the parser is refused with its size, and stays as it is [project.bad-files]", async () => {
  const text = `${clean}\n## Ours\n${"words and words\n".repeat(40_000)}`;
  const { read, call, log, root } = makeProject({ notes: text });
  for (const work of [() => call("recover_context", {}), () => log("goal", "x")])
    await assert.rejects(
      work,
      /has \d+ bytes, and the limit is 500000\. Nothing was changed\. Move old parts/,
    );
  assert.equal(read(), text);
  const { warnings } = await startProjectSession({ root });
  assert.match(warnings.join(), /the limit is 500000/);
});
