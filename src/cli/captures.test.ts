import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compactedStory } from "../../test/support/compacted-story.ts";
import { openTestMemory } from "../../test/support/memory.ts";
import { holdfastWith } from "../../test/support/people.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { note, ok, problem } from "../hosts/doctor/finding.ts";
import { ownCommand } from "../hosts/install/launcher.ts";
import { docsLink, packageRoot } from "../workspace/package.ts";
import { type Diagnosis, renderDoctor } from "./commands/doctor.ts";
import { commands, groups } from "./commands.ts";
import { fit } from "./terminal/screen.ts";
import { beginChat, runCli } from "./test-support/chat.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const widths = [80, 120];

/** Compares a capture with its file; `UPDATE_CAPTURES=1` writes the files. */
function compare(name: string, width: number, text: string): void {
  const path = join(fixtures, `${name}-${width}.txt`);
  if (process.env.UPDATE_CAPTURES) {
    mkdirSync(fixtures, { recursive: true });
    writeFileSync(path, text);
  }
  assert.equal(
    text,
    readFileSync(path, "utf8"),
    `${name} at ${width} columns. If this is intended: UPDATE_CAPTURES=1 node --test src/cli/captures.test.ts`,
  );
  for (const line of text.split("\n"))
    assert.ok([...line].length <= width, `${name} at ${width} columns is too wide: ${line}`);
}

/**
 * The same for a text with commands, which have the path of the checkout in them: lines break elsewhere in another
 * folder, so white space does not count.
 */
function compareWithCommands(name: string, width: number, text: string): void {
  const inOneLine = (each: string) => each.replaceAll(/\s+/g, " ");
  const shown = inOneLine(text).replaceAll(ownCommand({}), "holdfast");
  if (process.env.UPDATE_CAPTURES) compare(name, width, text.replaceAll(ownCommand({}), "holdfast"));
  const expected = inOneLine(readFileSync(join(fixtures, `${name}-${width}.txt`), "utf8"));
  assert.equal(shown, expected, `${name} at ${width} columns`);
  for (const line of text.split("\n"))
    assert.ok([...line].length <= Math.max(width, packageRoot.length + 2), `${name}: ${line}`);
}

/** The address of the documentation and the place of the store differ between machines, and the ids of notes between days. */
function settled(text: string): string {
  return text
    .replaceAll(/^Documentation:\s+file:.*$/gm, "Documentation: PAGE")
    .replace(/^Stored in [\s\S]*$/m, "Stored in STORE\n")
    .replaceAll(/note_\d+/g, "note_ID");
}

/** Sessions of agents, written a minute after one another. */
async function exampleStore(start: number): Promise<string> {
  const db = join(temporaryDirectory(), "memory.db");
  let now = start;
  const memory = await openTestMemory({
    store: db,
    clock: () => (now += 60_000),
    surfaces: ["notepad", "notes", "scratchpad", "pins"],
  });
  const agent = { actor: { kind: "agent" as const } };
  const long =
    "Upgrade to the new runtime, and drop the polyfills for fetch, structuredClone and old streams";
  await (await memory.createSession({ id: "ses_b7", title: long })).notepad.write(
    "- [x] Read\n- [ ] Do",
    agent,
  );
  await (
    await memory.createSession({ id: "codex.41", title: "日本語のレポートを作成する", agent: "codex" })
  ).pins.pin("Never push to main", { actor: { kind: "person" } });
  const fallen = await compactedStory(memory, "claude-code.f3c1");
  await fallen.calls.record(
    [],
    { purpose: "turn", epoch: 2, contextWindow: 200_000, usage: { input: 110_000 }, parts: {} },
    now,
  );
  const session = await memory.createSession({ id: "audit", title: "Workbook audit" });
  await session.notepad.write("## Plan\n- [ ] Read all 10 sheets\n- [ ] Explain the Q3 gap", agent);
  await session.notepad.append("- EMEA: 310 rows; July double-counted in rows 251-267", agent);
  await session.notepad.replace("- [ ] Read", "- [x] Read", agent);
  await session.notes.add("Rounding is half even, in every sheet but Tax", ["money"], agent);
  await session.notepad.append("- Checked by hand", { actor: { kind: "person" } });
  await session.scratchpad.setPlan(
    "1. Compare the detail rows of each region with the Summary, beginning with EMEA and Americas\n2. Report",
    agent,
  );
  await memory.spawnSession("audit", { id: "audit-emea", title: "Check the EMEA sheet" });
  await memory.close();
  return db;
}

test("help, errors and the log fit terminals of 80 and 120 columns, and break only between words [people.captures] [people.help]", async () => {
  const db = await exampleStore(Date.UTC(2026, 9, 5, 9));
  for (const width of widths) {
    const variables = { COLUMNS: String(width), HOLDFAST_DB: db, TZ: "UTC" };
    const capture = async (name: string, ...args: string[]) => {
      const { stdout, stderr } = await holdfastWith(variables, ...args);
      compare(name, width, settled(`${stdout}${stderr}`));
    };
    await capture("help", "help");
    const helps = [];
    for (const name of Object.keys(commands))
      helps.push(settled((await holdfastWith(variables, "help", name)).stdout));
    compare("help-of-each-command", width, helps.join("\n\n"));
    await capture("error-command", "serach", "x");
    await capture("error-host", "init", "cladue-code");
    await capture("error-option", "log", "--revison", "3");
    await capture("error-session", "show", "nobody");
    await capture("error-argument", "unpin");
    await capture("log", "log", "audit");
    await capture("log-revision", "log", "audit", "--revision", "4");
    await capture("forget", "forget", "EMEA");
  }
});

test("the memory, its sessions and a search fit terminals of 80 and 120 columns [people.captures] [people.sessions]", async () => {
  const { root, variables } = emptyProject();
  // The ages are the same on every day.
  const HOLDFAST_DB = await exampleStore(Date.now() - 3.5 * 3_600_000);
  for (const width of widths) {
    for (const args of [[], ["sessions"], ["show", "audit"], ["search", "EMEA"]]) {
      const { stdout } = await holdfastWith({ ...variables, COLUMNS: String(width), HOLDFAST_DB }, ...args);
      compareWithCommands(args[0] ?? "overview", width, settled(stdout.replaceAll(root, "ROOT")));
    }
  }
});

/** A project of its own, with a home that has no agent programs. */
function emptyProject(): { root: string; variables: NodeJS.ProcessEnv } {
  const root = realpathSync(temporaryDirectory());
  mkdirSync(join(root, ".git"));
  const home = temporaryDirectory();
  return {
    root,
    variables: { TEST_DIRECTORY: root, HOME: home, XDG_STATE_HOME: join(home, "state"), PATH: "" },
  };
}

test("init and project lint fit terminals of 80 and 120 columns [people.captures]", async () => {
  for (const width of widths) {
    const { root, variables } = emptyProject();
    const capture = async (name: string, ...args: string[]) => {
      const { stdout, stderr } = await holdfastWith({ ...variables, COLUMNS: String(width) }, ...args);
      const shown = `${stdout}${stderr}`.replaceAll(root, "ROOT").replaceAll(/[+-]\d+ lines/g, "N lines");
      compareWithCommands(name, width, shown);
    };
    await capture("init-dry-run", "init", "claude-code", "--dry-run");
    await capture("init", "init", "claude-code");
    await capture("init-again", "init", "claude-code");
    await capture("uninstall", "uninstall", "claude-code");
    await holdfastWith(variables, "project", "init");
    await capture("project-lint", "project", "lint");
  }
});

test("a chat fits terminals of 80 and 120 columns [people.captures] [chat.commands]", async () => {
  const finding = "- EMEA: 310 rows; July is double-counted in rows 251-267, which explains the gap of Q3";
  const note = { name: "update_notepad", input: { operation: "append", content: finding } };
  const answer = "July of EMEA is counted twice: without rows 251-267, Q3 adds up.";
  for (const width of widths) {
    const { cwd, chat } = await beginChat((_request, number) =>
      number === 0 ? { text: "I read the sheet.", toolCalls: [note] } : { text: answer },
    );
    const { stdout, stderr, code } = await runCli([...chat, "--session", "audit"], {
      cwd,
      env: { COLUMNS: String(width) },
      input: ["Why is there a gap in Q3?", "/pin Never change a sheet.", "/memory", "/context", "/help"],
    });
    assert.equal(code, 0, stderr);
    // The port and the sizes of prompts differ.
    const shown = `${stderr}\n${stdout}`
      .replace(/127\.0\.0\.1:\d+/, "127.0.0.1:4747")
      .replaceAll(/^( {2}\w+ +)([\d,]+)$/gm, (_, name, tokens) => `${name}${"N".padStart(tokens.length)}`)
      .replace(/^\S+ \d+ % of/m, "BAR N % of");
    compare("chat", width, shown);
  }
});

test("doctor fits terminals of 80 and 120 columns [people.captures]", () => {
  const diagnosis: Diagnosis = {
    config: ['holdfast.json, line 3: unknown setting "surface". Did you mean surfaces?'],
    trouble: undefined,
    store: [
      ok(
        "kept",
        "history 60 days, model calls 30 days, deleted sessions 30 days, archived sessions 365 days.",
      ),
      note("size", "The store takes 900 MB; its limit is 1000 MB. Nothing is removed yet."),
      ok("backups", "1 copy next to it: memory.db.2026-11-16"),
    ],
    reports: [
      {
        host: "claude-code",
        title: "Claude Code",
        isPresent: true,
        isWired: true,
        findings: [
          ok("wiring", "in this project"),
          problem(
            "trust",
            "Hooks are enabled, but Claude Code does not trust this folder yet.",
            "Start claude here, trust the folder and approve the server holdfast.",
          ),
          note("last failure", "SessionStart, 3 days ago: the store was locked for longer than 5,000 ms."),
        ],
      },
      { host: "codex", title: "Codex", isPresent: false, isWired: false, findings: [] },
      { host: "gemini", title: "Gemini CLI", isPresent: false, isWired: false, findings: [] },
    ],
  };
  for (const width of widths) {
    const screen = { width, colours: false, paint: (_style: unknown, text: string) => text };
    compare("doctor", width, `${fit(renderDoctor(diagnosis, screen), screen).join("\n")}\n`);
  }
});

test("no line of any help is wider than the terminal, however narrow, and no word is broken [people.help]", async () => {
  for (const width of [40, 60, 100]) {
    for (const name of ["", ...Object.keys(commands)]) {
      const { stdout, code } = await holdfastWith(
        { COLUMNS: String(width) },
        "help",
        ...(name === "" ? [] : [name]),
      );
      assert.equal(code, 0, name);
      const words = new Set(
        (await holdfastWith({ COLUMNS: "1000" }, "help", ...(name === "" ? [] : [name]))).stdout.split(/\s+/),
      );
      for (const line of stdout.split("\n")) {
        if ([...line].length <= width) continue;
        assert.ok(line.trim().split(" ").length === 1, `${name} at ${width}: ${line}`);
      }
      // A word longer than the room next to the terms has to be broken.
      const room = width < 56 ? width - 8 : Math.floor(width / 2);
      const long = [...words].filter((word) => word.length > room);
      const broken = stdout
        .split(/\s+/)
        .filter((word) => !words.has(word) && !long.some((whole) => whole.includes(word)));
      assert.deepEqual(broken, [], `${name} at ${width}`);
    }
  }
});

test("the root help has every command in one group, by purpose, with examples [people.help]", async () => {
  const grouped = Object.values(groups).flat();
  assert.deepEqual([...new Set<string>(grouped)].sort(), Object.keys(commands).sort());
  assert.equal(new Set(grouped).size, grouped.length);
  const { stdout } = await holdfastWith({ COLUMNS: "80" }, "help");
  const order = [...Object.keys(groups), "Examples"].map((group) => stdout.indexOf(`\n${group}\n`));
  assert.ok(
    order.every((position, index) => position > (order[index - 1] ?? 0)),
    stdout,
  );
  for (const [name, { examples, docs }] of Object.entries(commands)) {
    assert.ok(examples.length > 0, `${name} has an example`);
    assert.ok(existsSync(new URL(docsLink(docs))), `${name} names a page that exists`);
  }
  const { files } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    files: string[];
  };
  assert.ok(files.includes("docs/*.md"), "the package contains the pages");
  const published = { version: "1.2.0", repository: { url: "git+https://code.example/OWNER/holdfast.git" } };
  assert.equal(docsLink("pins", published), "https://code.example/OWNER/holdfast/blob/v1.2.0/docs/pins.md");
});

test("help COMMAND is that command's help, and names that are nearly right are suggested [people.help] [people.usage]", async () => {
  const one = await holdfastWith({}, "help", "log");
  const other = await holdfastWith({}, "log", "--help");
  assert.equal(one.stdout, other.stdout);
  assert.match(one.stdout, /^Usage: holdfast log/);
  for (const [args, suggestion] of [
    [["help", "sesions"], "sessions"],
    [["export", "--all"], "store export"],
    [["init", "openclaww"], "openclaw"],
    [["project", "recver"], "recover"],
    [["log", "--limt", "3"], "--limit"],
  ] as const) {
    const { stderr, code } = await holdfastWith({}, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.ok(stderr.includes(`Did you mean ${suggestion}?`), stderr);
  }
});
