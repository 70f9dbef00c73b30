import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { holdfast } from "../../test/support/command-line.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { estimateTokens, openMemory } from "../index.ts";
import { knownSurfaces } from "../workspace/chosen-surfaces.ts";
import { findProject } from "../workspace/project.ts";
import { initialize, startMcp } from "./test-support/mcp-process.ts";

test("the default has at most 8 tools and 650 tokens of definitions, and --cost reports the estimate of each [mcp.cost]", async (context) => {
  const list = async (...args: string[]) => {
    const server = startMcp(context, ["--store", "memory:", ...args]);
    await initialize(server);
    const { tools } = (await server.ask("tools/list")).result;
    assert.equal((await server.end()).code, 0);
    return tools as { name: string; description: string; inputSchema: object }[];
  };
  const own = await list();
  const definitions = own.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const sent = countTokens(JSON.stringify(definitions));
  assert.ok(own.length <= 8 && sent <= 650, `${own.length} tools, ${sent} tokens`);
  const tools = await list("--surfaces", "notepad,notes,pins");
  const { code, stdout } = await holdfast("mcp", "--cost", "--json", "--surfaces", "notepad,notes,pins");
  assert.equal(code, 0);
  const costs = JSON.parse(stdout) as { surface: string; tools: number; tokens: number }[];
  const notepad = estimateTokens(JSON.stringify(tools.slice(0, 3)));
  const notes = estimateTokens(JSON.stringify(tools.slice(3, 10)));
  const pins = estimateTokens(JSON.stringify(tools.slice(10, 13)));
  assert.deepEqual(costs, [
    { surface: "notepad", tools: 3, tokens: notepad },
    { surface: "notes", tools: 7, tokens: notes },
    { surface: "pins", tools: 3, tokens: pins },
  ]);
  const table = await holdfast("mcp", "--cost");
  const page = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8");
  for (const name of knownSurfaces) {
    const measured = number(new RegExp(`^  ${name} +([\\d,]+)  \\d+ tools?$`, "m").exec(table.stdout)?.[1]);
    const documented = number(new RegExp(`^\\| .${name}. +\\| \\d+ +\\| ([\\d,]+)`, "m").exec(page)?.[1]);
    assert.ok(
      Math.abs(measured - documented) < measured / 5,
      `${name}: ${measured}, in the docs ${documented}`,
    );
  }
});

function number(text = ""): number {
  return Number(text.replaceAll(",", ""));
}

test("surfaces are chosen by name, and an unknown name is rejected with the list [mcp.surfaces]", async (context) => {
  const names = async (args: string[], cwd?: string) => {
    const server = startMcp(context, [...args, "--store", "memory:"], cwd === undefined ? {} : { cwd });
    await initialize(server);
    const { tools } = (await server.ask("tools/list")).result;
    assert.equal((await server.end()).code, 0);
    return tools.map(({ name }: { name: string }) => name) as string[];
  };
  const root = temporaryDirectory();
  assert.deepEqual(await names(["--surfaces", "tasks, scratchpad,tasks"]), [
    "begin_task",
    "end_task",
    "cancel_task",
    "session_scratchpad",
  ]);
  assert.equal((await names([], root)).length, 7);
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(root, "grimoires/loa/NOTES.md"), "# NOTES\n");
  assert.ok((await names([], root)).includes("recover_context"));
  const wrong = await holdfast("mcp", "--surfaces", "nope");
  assert.deepEqual([wrong.code, wrong.stdout], [1, ""]);
  assert.match(
    wrong.stderr,
    /--surfaces must be a list, each item one of notepad, notes, .* \(got \["nope"\]\)/,
  );
  const needsAgent = await holdfast("mcp", "--surfaces", "notes,sessions");
  assert.match(needsAgent.stderr, /The surface "sessions" works only where a Holdfast agent runs/);
  const { code, stderr } = await holdfast("mcp", "--session", "../x");
  assert.equal(code, 1);
  assert.match(stderr, /not a valid session id/);
});

test("a server that is started in its bundle's folder serves the project of its client [mcp.bundle]", async (context) => {
  const [bundle, project] = [temporaryDirectory(), temporaryDirectory()];
  const env = { PLUGIN_ROOT: bundle, PWD: project };
  const server = startMcp(context, [], { cwd: bundle, env });
  await initialize(server);
  await server.call("write_notepad", { content: "cedar-4711" });
  await server.end();
  assert.ok(existsSync(join(findProject(project).directory, "memory.db")));
  assert.ok(!existsSync(findProject(bundle).directory));
});

test("without PWD, a server in its bundle's folder serves the folder of the process that started it [mcp.bundle]", async (context) => {
  const [bundle, project] = [temporaryDirectory(), temporaryDirectory()];
  const before = process.cwd();
  process.chdir(project);
  context.after(() => process.chdir(before));
  const server = startMcp(context, [], { cwd: bundle, env: { PLUGIN_ROOT: bundle, PWD: bundle } });
  await initialize(server);
  await server.call("write_notepad", { content: "cedar-4711" });
  await server.end();
  assert.ok(existsSync(join(findProject(project).directory, "memory.db")));
  assert.ok(!existsSync(findProject(bundle).directory));
});

test("when an agent creates a tool, the client is notified and can call it [mcp.changing-tools]", async (context) => {
  const server = startMcp(context, ["--store", "memory:", "--surfaces", "sandbox"]);
  await initialize(server);
  const list = async () =>
    (await server.ask("tools/list")).result.tools.map(({ name }: { name: string }) => name);
  const before = await list();
  const made = await server.call("create_tool", {
    name: "double",
    description: "Doubles a number.",
    schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    code: "return input.n * 2;",
  });
  assert.ok(!made.isError, JSON.stringify(made.content));
  await server.next(({ method }) => method === "notifications/tools/list_changed");
  assert.deepEqual(await list(), [...before, "double"]);
  assert.match((await server.call("double", { n: 21 })).content[0].text, /42/);
  assert.equal((await server.ask("tools/call", { name: "triple" })).error.code, -32_602);
  assert.deepEqual(await server.end(), { code: 0, signal: null, errors: "" });
});

test("a client is notified of a tool created through another server [mcp.changing-tools]", async (context) => {
  const args = ["--store", join(temporaryDirectory(), "memory.db"), "--surfaces", "sandbox"];
  const [mine, theirs] = [startMcp(context, args), startMcp(context, args)];
  for (const server of [mine, theirs]) {
    await initialize(server);
    await server.ask("tools/list");
  }
  const schema = { type: "object" };
  await mine.call("create_tool", { name: "six", description: "Six.", schema, code: "return 6" });
  await theirs.next(({ method }) => method === "notifications/tools/list_changed");
  assert.equal((await theirs.call("six", {})).content[0].text, "6");
  for (const server of [mine, theirs]) assert.equal((await server.end()).code, 0);
});

test("the store is in the user's state folder, private, and the project stays as it was [store.default]", async (context) => {
  const root = temporaryDirectory();
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const inside = join(root, "packages/deep");
  mkdirSync(inside, { recursive: true });
  const { directory } = findProject(inside);
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const server = startMcp(context, ["--session", "s"], { cwd: inside });
  await initialize(server);
  await server.call("write_notepad", { content: "x" });
  assert.equal((await server.end()).code, 0);
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.deepEqual([mode(directory), mode(join(directory, "memory.db"))], ["700", "600"]);
  assert.equal(findProject(root).directory, directory);
  assert.deepEqual(readdirSync(root).toSorted(), [".git", "packages"]);
});

test("HOLDFAST_DB chooses another store, and --store overrides it [store.default]", async (context) => {
  const root = temporaryDirectory();
  const pathOf = (name: string) => join(root, name);
  const write = async (args: string[], env: NodeJS.ProcessEnv) => {
    const server = startMcp(context, [...args, "--session", "s"], { cwd: root, env });
    await initialize(server);
    await server.call("write_notepad", { content: "x" });
    assert.equal((await server.end()).code, 0);
  };
  await write([], { HOLDFAST_DB: pathOf("a.db") });
  await write([], { HOLDFAST_DB: `sqlite:${pathOf("b.db")}` });
  await write(["--store", pathOf("c.db")], { HOLDFAST_DB: pathOf("never.db") });
  for (const store of [pathOf("a.db"), `sqlite:${pathOf("b.db")}`, pathOf("c.db")]) {
    const memory = await openMemory({ store });
    assert.equal(await (await memory.resumeSession("s")).notepad.read(), "x");
    await memory.close();
  }
  assert.deepEqual([existsSync(findProject(root).directory), existsSync(pathOf("never.db"))], [false, false]);
});
