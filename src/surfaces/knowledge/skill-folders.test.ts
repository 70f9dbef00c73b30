import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { answer, openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { skillFolders } from "./skill-folders.ts";
import { knowledgeSurface } from "./tools.ts";

function put(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

const skill = (name: string, description: string, body = "Do it.\n") =>
  `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  author: somebody\n---\n\n${body}`;

test("skills come from the default folders, in order, and are read in full on demand [knowledge.skills-folders]", async () => {
  const root = temporaryDirectory();
  put(root, ".claude/skills/audit/SKILL.md", skill("audit", "Audits a workbook", "1. Sum.\n"));
  put(root, ".agents/skills/deploy/SKILL.md", skill("deploy", "Deploys").replaceAll("\n", "\r\n"));
  put(root, "skills/audit/SKILL.md", skill("audit", "Another"));
  put(root, "skills/release/SKILL.md", skill("release", "Releases"));
  put(root, "skills/release/references/steps.md", "Tag it.");
  const memory = await openTestMemory({
    surfaces: ["notepad", knowledgeSurface({ skills: skillFolders(root) })],
  });
  const session = await memory.createSession();
  const { skills, warnings } = await answer(session, "list_skills");
  assert.deepEqual(
    skills.map(({ name, source }: { name: string; source: string }) => [name, source]),
    [
      ["audit", ".claude/skills/audit"],
      ["deploy", ".agents/skills/deploy"],
      ["release", "skills/release"],
    ],
  );
  assert.deepEqual(warnings, ["Skipped the skill skills/audit: .claude/skills/audit has the same name."]);
  assert.match(
    (await session.context()).system,
    /## Skills\n- audit: Audits a workbook\n- deploy: Deploys\n- release: Releases\n/,
  );
  assert.deepEqual(await answer(session, "read_skill", { name: "audit" }), {
    name: "audit",
    content: "1. Sum.\n",
  });
  assert.deepEqual((await answer(session, "read_skill", { name: "release" })).files, ["references/steps.md"]);
  const file = await answer(session, "read_skill", { name: "release", file: "references/steps.md" });
  assert.equal(file.content, "Tag it.");
});

test("a folded description becomes one line, and a saved skill cannot reuse the name of one in a folder [knowledge.skills-checked]", async () => {
  const root = temporaryDirectory();
  put(root, "skills/audit/SKILL.md", skill("audit", ">\n  Audits\n  a workbook"));
  const memory = await openTestMemory({ surfaces: [knowledgeSurface({ skills: skillFolders(root) })] });
  const session = await memory.createSession();
  const listed = { skills: [{ name: "audit", description: "Audits a workbook", source: "skills/audit" }] };
  assert.deepEqual(await answer(session, "list_skills"), listed);
  const refused = await session.call("save_skill", { name: "audit", description: "Mine", content: "x" });
  assert.equal(refused.ok, false);
  assert.match(
    refused.text,
    /skills\/audit has the same name and takes precedence.*another name, or edit skills\/audit\/SKILL\.md/,
  );
  assert.deepEqual(await answer(session, "list_skills"), listed);
});

test("a broken skill is skipped with a warning that names it, and appears once it is fixed [knowledge.skills-broken]", async () => {
  const root = temporaryDirectory();
  const broken: [name: string, text: string, fault: RegExp][] = [
    ["no-header", "Do it.", /does not start with front matter/],
    ["no-yaml", "---\nname: [\n---\nx", /not valid YAML/],
    ["no-fields", "---\n- a\n---\nx", /"name" is missing/],
    ["other-name", skill("another", "x"), /but its folder is called "other-name"/],
    ["no-description", "---\nname: no-description\n---\nx", /"description" is missing/],
    ["long", skill("long", "x".repeat(1_025)), /longer than 1024/],
    ["half", "---\nname: half\ndescription: x", /does not start with front matter/],
  ];
  for (const [name, text] of broken) put(root, `skills/${name}/SKILL.md`, text);
  put(root, "skills/Upper/SKILL.md", skill("Upper", "x"));
  put(root, "skills/fine/SKILL.md", skill("fine", "Works"));
  mkdirSync(join(root, "skills/empty"));
  const source = skillFolders(root);
  const { skills, warnings } = await source.list();
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["fine"],
  );
  assert.equal(warnings.length, broken.length + 1);
  for (const [name, , fault] of broken) {
    const warning = warnings.find((text) => text.startsWith(`Skipped the skill skills/${name}: `));
    assert.match(warning ?? "", fault, name);
  }
  put(root, "skills/half/SKILL.md", skill("half", "Fixed"));
  assert.ok((await source.list()).skills.some(({ name }) => name === "half"));
});

test("a skill whose file cannot be read or parsed is reported by name, and nothing is printed [knowledge.skills-broken]", async () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "skills/link"), { recursive: true });
  symlinkSync("nowhere.md", join(root, "skills/link/SKILL.md"));
  mkdirSync(join(root, "skills/folder/SKILL.md"), { recursive: true });
  mkdirSync(join(root, "skills/no-skill"));
  put(root, "skills/7/SKILL.md", "---\nname: 7\ndescription: x\n---\n");
  put(root, "skills/tagged/SKILL.md", skill("!!strange tagged", "x"));
  const printed: Error[] = [];
  const listen = (warning: Error) => printed.push(warning);
  process.on("warning", listen);
  const { skills, warnings } = await skillFolders(root).list();
  await new Promise(setImmediate);
  process.off("warning", listen);
  assert.deepEqual(printed, []);
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["tagged"],
  );
  assert.deepEqual(warnings, [
    'Skipped the skill skills/7: "name" must be a string: put it in quotes.',
    "Skipped the skill skills/folder: its SKILL.md cannot be read (EISDIR).",
    "Skipped the skill skills/link: its SKILL.md cannot be read (ENOENT).",
  ]);
});

test("hundreds of skills are listed one per line and stay within the budget [knowledge.skills-summaries]", async () => {
  const root = temporaryDirectory();
  const description = `What it does. ${"And more. ".repeat(60)}`;
  for (let index = 0; index < 300; index++)
    put(root, `skills/skill-${index}/SKILL.md`, skill(`skill-${index}`, description));
  const memory = await openTestMemory({ surfaces: [knowledgeSurface({ skills: skillFolders(root) })] });
  const session = await memory.createSession();
  const { system } = await session.context();
  const lines = system.split("\n").filter((line) => /^- skill-\d+: What it does\. .*…$/.test(line));
  assert.equal(lines.length, 300);
  assert.ok(system.length < 30_000, `${system.length} characters`);
  assert.match(system, /list_skills shows them in full/);
  const { skills } = await answer(session, "list_skills");
  assert.equal(skills[0].description, description.trim());
});

test("read_skill cannot read files outside the skill's folder [knowledge.skills-inside]", async () => {
  const root = temporaryDirectory();
  put(root, "secret.txt", "secret");
  put(root, "skills/audit/SKILL.md", skill("audit", "Audits"));
  put(root, "skills/audit-more/SKILL.md", skill("audit-more", "Audits more"));
  symlinkSync(join(root, "secret.txt"), join(root, "skills/audit/link.txt"));
  const source = skillFolders(root);
  for (const file of [
    "../../secret.txt",
    "link.txt",
    join(root, "secret.txt"),
    "../audit-more/SKILL.md",
    "missing.md",
    ".",
  ])
    await assert.rejects(source.read("audit", file), { code: "not_found" }, file);
  assert.equal(await source.read("../audit"), undefined);
});

test("without any folder there are no skills and no block [knowledge.skills-folders]", async () => {
  const root = temporaryDirectory();
  assert.deepEqual(await skillFolders(root).list(), { skills: [], warnings: [] });
  const surface = knowledgeSurface({ skills: skillFolders(root) });
  const session = await (await openTestMemory({ surfaces: [surface] })).createSession();
  assert.deepEqual((await session.context()).blocks, []);
});
