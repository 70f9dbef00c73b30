import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { injectedTexts, withInjectedTexts } from "../scripts/pictures/injected-texts.ts";
import { terminalPictures } from "../scripts/pictures/real-runs.ts";
import { sections } from "../site/pages.ts";
import { adapterOptionKinds } from "../src/adapters/caller/options.ts";
import { agentOptionKinds, modelOptionNames } from "../src/agent/options.ts";
import { isCommand } from "../src/cli/commands.ts";
import { commandHelp } from "../src/cli/help.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";
import { defaultLimits } from "../src/engine/limits.ts";
import { projectTool } from "../src/mcp/project-tools.ts";
import { instructionsOf } from "../src/mcp/server.ts";
import { inHost } from "../src/surfaces/surface.ts";
import { defaultSurfaces, findSurfaces } from "../src/surfaces/surfaces.ts";
import { createToolbox } from "../src/surfaces/toolbox.ts";
import { compiled } from "./support/compiled.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("code blocks in the docs are cut from examples that run [repo.docs]", () => {
  let blocks = 0;
  for (const page of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const [, source, code] of read(page).matchAll(/(?:<!-- from (\S+) -->\n)?```ts\n([\s\S]*?)```/g)) {
      blocks++;
      assert.ok(source, `${page}: a code block does not name its source file`);
      assert.equal(code, read(source), `${page}: the block differs from ${source}`);
    }
  }
  assert.ok(blocks >= 4);
});

/** The output of the examples that print something. */
const printed: Readonly<Record<string, RegExp>> = {
  "hono-chat": /ada: What is my name\?\n {2}→ You are Ada\.\nbob: What is my name\?\n {2}→ I do not know\./,
  "langgraph-agent": /Where is the deploy key\?\n {2}→ In vault\/ci\.\n$/,
  "ci-agent": /4 of 4 steps done, 0 done twice/,
  "two-agents-postgres": /20 findings of two agents, 20 written/,
};

/** Parts of the larger examples, and the examples that `test:hosts` and `test:long` run with packages too large to install here. */
const parts = [
  ...["model.ts", "talk.ts", "start-database.ts", "my-store.ts", "claude-agent-sdk.ts", "mastra.ts"],
  "packages-not-installed.d.ts",
];

for (const example of globSync("examples/{,apps/}*.ts", { cwd: root })) {
  if (parts.includes(basename(example))) continue;
  test(`${example} runs [repo.docs]`, () => {
    const preload = pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href;
    const output = execFileSync(process.execPath, ["--import", preload, join(root, example)], {
      cwd: temporaryDirectory(),
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, NODE_COMPILE_CACHE: compiled, MODEL: "", PORT: "", DATABASE_URL: "" },
    });
    assert.match(output, printed[basename(example, ".ts")] ?? /\S/);
  });
}

test("links between the pages resolve [repo.docs]", () => {
  for (const page of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const path = join(page, "..", target);
      assert.ok(globSync(path.replace(/\/$/, ""), { cwd: root }).length === 1, `${page} links to ${target}`);
    }
  }
});

/** Commands of ours in a page that do not exist, or have an option that their help does not name. */
function wrongCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code = ""]) => code.split("\n"));
  const inline = [...text.matchAll(/`((?:npx )?holdfast [^`]*)`/g)].map(([, code = ""]) => code);
  return [...blocks, ...inline].flatMap((line) => {
    const [, name, rest = ""] = /^(?:npx )?holdfast ([a-z]+)\b([^#|]*)/.exec(line.trim()) ?? [];
    if (name === undefined || name === "help") return [];
    if (!isCommand(name)) return [line];
    const flags = [...rest.matchAll(/(?<![\w-])--[a-z-]+/g)].map(([flag]) => flag);
    const known = `${JSON.stringify(commandHelp(name))} --json --store --help`;
    return flags.every((flag) => new RegExp(`${flag}(?![\\w-])`).test(known)) ? [] : [line];
  });
}

test("every command in the README and the docs exists, with its options [repo.docs]", () => {
  for (const page of globSync(["README.md", "docs/**/*.md"], { cwd: root }))
    assert.deepEqual(wrongCommands(read(page)), [], page);
  const planted =
    "```sh\nnpx holdfast inti\nholdfast init --usre\nholdfast init --user # fine\n```\n`holdfast shwo x`";
  assert.equal(wrongCommands(planted).length, 3, "the check finds planted ones");
});

test("the pictures of terminals show the output of the program [repo.pictures]", () => {
  for (const [name, svg] of Object.entries(terminalPictures({ NODE_COMPILE_CACHE: compiled })))
    assert.equal(svg, read(join("docs/images", name)), `${name}: run node scripts/draw-terminals.ts`);
});

test("How it works shows the texts that the hooks print, word for word [repo.docs]", () => {
  const page = read("docs/how-it-works.md");
  const texts = injectedTexts({ NODE_COMPILE_CACHE: compiled });
  assert.equal(withInjectedTexts(page, texts), page, "run node scripts/draw-terminals.ts");
  for (const name of Object.keys(texts)) {
    assert.ok(page.includes(`<!-- the model reads: ${name} -->`), name);
    assert.notEqual(withInjectedTexts(page, { ...texts, [name]: "another" }), page, name);
  }
});

/** The cells of a table's rows, below a heading of a page. */
function tableBelow(heading: string, page: string): string[][] {
  const [, part = ""] = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)(?=\\n## |$)`).exec(read(page)) ?? [];
  const rows = [...part.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) =>
    row.split("|").map((cell) => cell.trim()),
  );
  return rows.slice(2);
}

const codeIn = (cell = "") => [...cell.matchAll(/`([A-Za-z]+)`/g)].map(([, name = ""]) => name);

test("the docs name each option of createAgent, and none that does not exist [repo.docs]", () => {
  const documented = tableBelow("Options", "docs/agent.md").flatMap(([names]) => codeIn(names));
  const ofModel: readonly string[] = modelOptionNames;
  const known = Object.keys(agentOptionKinds);
  assert.deepEqual(
    documented.filter((name) => !known.includes(name)),
    [],
  );
  assert.deepEqual(
    known.filter((name) => !ofModel.includes(name) && !documented.includes(name)),
    [],
  );
  const ofAdapter = tableBelow("Options", "docs/ai-sdk.md").flatMap(([names]) => codeIn(names));
  assert.deepEqual(
    ofAdapter.filter((name) => !Object.hasOwn(adapterOptionKinds, name)),
    [],
  );
});

/** The pages that a page links to. */
function linkedFrom(page: string): string[] {
  const targets = [...read(page).matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)].map(
    ([, target = ""]) => target,
  );
  return targets.map((target) => join(page, "..", target));
}

test("every page of the docs is at most two clicks from the README [repo.docs]", () => {
  const first = linkedFrom("README.md");
  const reached = new Set([...first, ...first.flatMap(linkedFrom)]);
  const pages = globSync("docs/**/*.md", { cwd: root }).filter((page) => !/docs.api.(?!README)/.test(page));
  assert.ok(pages.length > 30);
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
    [],
  );
});

test("a newcomer finds memory, its cost and help in one click from the README [repo.docs]", () => {
  const [readme, quickStart] = [read("README.md"), read("docs/quick-start.md")];
  for (const link of [
    "docs/quick-start.md",
    "docs/faq.md#how-many-tokens-does-it-cost",
    "docs/troubleshooting.md",
  ])
    assert.ok(readme.includes(`](${link})`), link);
  for (const command of ["init", "doctor", "uninstall"])
    for (const page of [readme, quickStart])
      assert.match(page, new RegExp(`^npx holdfast ${command}\\b`, "m"));
});

test("the FAQ's tokens of tools and guidance are near the real ones [repo.docs]", () => {
  const documented = (part: string) =>
    Number(
      new RegExp(`^\\| ${part} +\\| about ([\\d,]+)`, "m").exec(read("docs/faq.md"))?.[1]?.replace(",", ""),
    );
  const surfaces = findSurfaces(defaultSurfaces.server);
  const toolbox = createToolbox(surfaces, { limits: defaultLimits, countTokens: estimateTokens }, inHost);
  const measured = {
    "definitions of the default tools": JSON.stringify(toolbox.describe().map(projectTool)),
    "guidance of the default tools": instructionsOf(surfaces),
  };
  for (const [part, text] of Object.entries(measured)) {
    const tokens = estimateTokens(text);
    assert.ok(Math.abs(documented(part) - tokens) < tokens / 5, `${part}: ${tokens} tokens`);
  }
});

/** The anchors of a page, as GitHub and the site make them from its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(/\s/g, "-"),
    ),
  );
}

test("links to a heading name one that exists [repo.docs]", () => {
  let found = 0;
  for (const page of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const [, target = "", anchor = ""] of read(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)) {
      found++;
      const other = target === "" ? page : join(page, "..", target);
      assert.ok(anchorsOf(other).has(anchor), `${page} links to ${target}#${anchor}`);
    }
  }
  assert.ok(found > 3, "the pattern finds no links");
});

test("the diffs of the first contribution apply to the sources as they are [repo.docs]", () => {
  const page = read("docs/extend.md");
  const diffs = [...page.matchAll(/```diff\n([\s\S]*?)```/g)].map(([, diff = ""]) => diff);
  assert.equal(diffs.length, 4);
  const check = (input: string) =>
    execFileSync("git", ["apply", "--check", "-"], { cwd: root, input, stdio: ["pipe", "pipe", "pipe"] });
  check(diffs.join(""));
  assert.throws(() => check(diffs.join("").replaceAll("allSessions", "noSuchThing")), /does not apply/);
});

test("every page of the docs is on the site, in one section [repo.site]", () => {
  const listed = Object.values(sections).flat();
  assert.equal(new Set(listed).size, listed.length, "a page is in two sections");
  for (const page of ["README.md", ...listed]) {
    assert.ok(globSync(page, { cwd: root }).length === 1, `${page} does not exist`);
    // The builder of the site takes a path in HTML without "./" for a package, and fails.
    assert.doesNotMatch(read(page), /\bsrc(?:set)?="(?!\.{1,2}\/)/, page);
  }
  const pages = globSync("docs/**/*.md", { cwd: root });
  assert.deepEqual(
    pages.filter((page) => !listed.includes(page.replaceAll("\\", "/"))),
    [],
  );
});
