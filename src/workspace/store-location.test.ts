import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { parseArgs } from "node:util";
import { runNode } from "../../test/support/command-line.ts";
import { compiled } from "../../test/support/compiled.ts";
import type { EntryAnswer, EntryRequest } from "../../test/support/entry-points.ts";
import { contextIn, hookProcess } from "../../test/support/hook.ts";
import { startServe } from "../../test/support/serve-process.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkCanary } from "../hosts/doctor/check-canary.ts";
import { openMemory } from "../index.ts";
import { initialize, startMcp } from "../mcp/test-support/mcp-process.ts";
import { projectFolder } from "../state-folder.ts";
import { readWorkspaceConfig, userConfigFile } from "./config.ts";
import { findProject } from "./project.ts";
import { locateStore, type StoreFlags, type StoreLocation, storeName } from "./store-location.ts";

const cli = join(import.meta.dirname, "../cli.ts");

/**
 * `$root` is the project, `$inside` the subdirectory where the programs start, `$home` the home directory, `$folder` the
 * project's folder outside the repository.
 */
interface Setting {
  env?: Record<string, string>;
  flags?: string[];
  /** In the user's config. */
  config?: { store: unknown };
  /** In the project's `holdfast.json`. */
  refused?: { store: unknown };
  /** A symlink that exists beforehand, and its target. */
  link?: [from: string, to: string];
  /** Default: `$inside`. */
  cwd?: string;
  /** The project directory's name. */
  name?: string;
  /** The path of the store. */
  expected: string;
  source: "flag" | "environment" | "config" | "default";
}

const inFolder = "$folder/memory.db";

const settings: Setting[] = [
  { expected: inFolder, source: "default" },
  { cwd: "$root", expected: inFolder, source: "default" },
  {
    env: { HOLDFAST_DB: "" },
    config: { store: "" },
    expected: inFolder,
    source: "default",
  },
  { env: { HOLDFAST_DB: "$home/a.db" }, expected: "$home/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "sqlite:$home/a.db" }, expected: "$home/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "sqlite://$home/a.db" }, expected: "$home/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "", HOLDFAST_STORE: "b.db" }, expected: "$root/b.db", source: "environment" },
  { env: { HOLDFAST_DB: "data/a.db" }, expected: "$root/data/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "data/a.db" }, cwd: "$root", expected: "$root/data/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "sqlite:./a.db" }, expected: "$root/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "~/a.db" }, expected: "$home/a.db", source: "environment" },
  { env: { HOLDFAST_DB: "sqlite:~/a.db?synchronous=normal" }, expected: "$home/a.db", source: "environment" },
  {
    link: ["$root/link.db", "$home/a.db"],
    env: { HOLDFAST_DB: "link.db" },
    expected: "$home/a.db",
    source: "environment",
  },
  { config: { store: "data/a.db" }, expected: "$root/data/a.db", source: "config" },
  { config: { store: "sqlite:~/a.db" }, expected: "$home/a.db", source: "config" },
  { config: { store: "sqlite:a.db" }, expected: "$root/a.db", source: "config" },
  {
    name: "what? now",
    config: { store: "sqlite:a.db?synchronous=normal" },
    expected: "$root/a.db",
    source: "config",
  },
  {
    env: { HOLDFAST_DB: "a.db" },
    config: { store: "b.db" },
    expected: "$root/a.db",
    source: "environment",
  },
  { flags: ["--store", "a.db"], expected: "$inside/a.db", source: "flag" },
  { flags: ["--store", "sqlite:../../a.db?synchronous=normal"], expected: "$root/a.db", source: "flag" },
  { flags: ["--store=~/a.db"], expected: "$home/a.db", source: "flag" },
  {
    link: ["$inside/link.db", "$home/a.db"],
    flags: ["--store", "link.db"],
    expected: "$home/a.db",
    source: "flag",
  },
  { flags: ["--store", "sqlite:a.db"], expected: "$inside/a.db", source: "flag" },
  {
    flags: ["--store", "sqlite:$home/a.db"],
    env: { HOLDFAST_DB: "b.db" },
    config: { store: "c.db" },
    expected: "$home/a.db",
    source: "flag",
  },
];

let entryPoints: ChildProcess;

before(() => {
  entryPoints = fork(join(import.meta.dirname, "../../test/support/entry-points.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: compiled },
  });
});

after(() => entryPoints.kill());

for (const setting of settings) {
  const { expected, source, ...given } = setting;
  test(`every entry point finds ${expected} for ${JSON.stringify(given)} [store.location]`, async () => {
    const fixture = await createFixture(setting);
    const { cwd, env, flags, session, store } = fixture;
    const before = listFiles(fixture.top);
    const [shown, sessions, hook] = await Promise.all([
      askEntryPoints({ cwd, variables: env, flags, session, expected: store }),
      runNode([cli, "sessions", "--all", "--json", ...flags], process.execPath, { cwd, env }),
      hookProcess("claude-code", hookEvent(session, cwd), { cwd, env, args: flags }),
    ]);
    const written = new RegExp(`kept in ${session}`);
    assert.match(contextIn(hook.stdout), written, `hook: ${hook.stderr}`);
    assert.match(sessions.stdout, new RegExp(`"${session}"`), `sessions: ${sessions.stderr}`);
    assert.match(shown.mcp, written);
    assert.match(shown.serve, new RegExp(`"${session}"`));
    assert.ok(shown.serve.includes(` shows ${inHome(fixture)}\n`), shown.serve);
    if (flags.length === 0) {
      assert.match(shown.pi, written);
      assert.match(shown.openclaw, written);
      assert.equal(shown.doctor, "the canary is there");
    }
    assert.deepEqual(listFiles(fixture.top), before, "a store was created elsewhere");
    const location = fixture.locate();
    assert.equal(location.source, source);
    assert.equal(location.file, fixture.shownAs);
    assert.equal(location.url.replace(/^sqlite:|\?synchronous=\w+$/g, ""), store);
  });
}

test("a store that holdfast.json names is refused: hooks use the usual one, and commands say where to set it [store.location] [config.outside]", async () => {
  for (const store of ["$home/a.db", "a.db", "postgres://me@db.example/notes"]) {
    for (const own of [undefined, "$home/own.db"]) {
      const fixture = await createFixture({
        refused: { store },
        ...(own === undefined ? {} : { config: { store: own } }),
        expected: own ?? inFolder,
        source: own === undefined ? "default" : "config",
      });
      const { cwd, env, session } = fixture;
      const before = listFiles(fixture.top);
      const [hook, sessions] = await Promise.all([
        hookProcess("claude-code", hookEvent(session, cwd), { cwd, env }),
        runNode([cli, "sessions", "--all"], process.execPath, { cwd, env }),
      ]);
      assert.match(contextIn(hook.stdout), new RegExp(`kept in ${session}`), `${store}: ${hook.stderr}`);
      assert.equal(sessions.code, 1, store);
      assert.match(sessions.stderr, /holdfast\.json:1: "store" cannot be set in a file of the project/);
      assert.ok(sessions.stderr.includes(userConfigFile(env)), sessions.stderr);
      assert.deepEqual(listFiles(fixture.top), before, "a store was created elsewhere");
      const { source, url } = fixture.locate();
      assert.equal(source, own === undefined ? "default" : "config");
      assert.equal(url.replace(/^sqlite:/, ""), fixture.store);
    }
  }
});

test("separate processes agree on a store that HOLDFAST_DB names by URL [store.location]", async (context) => {
  const env = { HOLDFAST_DB: "sqlite:$home/a.db" };
  const fixture = await createFixture({ env, expected: "$home/a.db", source: "environment" });
  const { cwd, session } = fixture;
  const before = listFiles(fixture.top);
  Object.assign(process.env, fixture.env);
  const shown = await runNode([cli, "show", session], process.execPath, { cwd });
  assert.match(shown.stdout, /kept in/, shown.stderr);
  const mcp = startMcp(context, ["--session", session], { cwd, env: fixture.env });
  await initialize(mcp);
  assert.match((await mcp.call("read_notepad")).content[0].text, /kept in/);
  await mcp.end();
  const server = await startServe(context, ["--port", "0"], cwd);
  assert.ok(server.output().includes(` shows ${inHome(fixture)}\n`), server.output());
  server.process.kill();
  await server.ended;
  const line = `'${process.execPath}' '${cli}' hook claude-code`;
  const findings = await checkCanary(
    "claude-code",
    { line, startEvent: "SessionStart" },
    findProject(cwd),
    "",
  );
  assert.deepEqual(
    findings.map(({ check, status }) => `${check} ${status}`),
    ["canary ok", "hook ok"],
  );
  assert.deepEqual(listFiles(fixture.top), before, "a store was created elsewhere");
});

test("no password in any place of a URL is shown [serve.no-password]", () => {
  const project = { root: "/p", directory: "/s/p" };
  const shown = (url: string) => storeName(locateStore({ project, cwd: "/p", env: { HOLDFAST_DB: url } }));
  for (const url of [
    "postgres://me:hunter2@db.example/notes",
    "postgres://me:hun@ter2@db.example/notes",
    "postgres://:hunter2@db.example/notes",
    "postgres://me:hunter2%40@db.example:5432/notes?sslmode=require",
    "postgresql://me@db.example/notes?password=hunter2&sslmode=require",
    "postgres://db.example/notes?sslmode=require&sslpassword=hunter2",
  ]) {
    assert.doesNotMatch(shown(url), /hun|ter2/, url);
    assert.match(shown(url), /db\.example/, url);
  }
});

test("a store that is not a file keeps its URL, and is shown without the password [store.location]", () => {
  const project = { root: "/p", directory: "/s/p" };
  const locate = (HOLDFAST_DB: string) => locateStore({ project, cwd: "/p", env: { HOLDFAST_DB } });
  const url = "postgres://me:secret@db.example/notes?sslmode=require";
  const postgres = locate(url);
  assert.deepEqual(postgres, { kind: "postgres", url, file: "", source: "environment" });
  assert.equal(storeName(postgres), "postgres://me@db.example/notes?sslmode=require");
  assert.deepEqual(locate("memory:"), { kind: "memory", url: "memory:", file: "", source: "environment" });
  assert.deepEqual(locate("sqlite::memory:"), {
    kind: "sqlite",
    url: ":memory:",
    file: "",
    source: "environment",
  });
});

test("store options are kept, and invalid addresses are rejected with a reason [store.location]", () => {
  const project = { root: "/p", directory: "/s/p" };
  const locate = (flags: StoreFlags) => locateStore({ project, cwd: "/p/deep", env: {}, flags });
  const normal = locate({ store: "sqlite:a.db?synchronous=normal" });
  assert.equal(normal.url, "sqlite:/p/deep/a.db?synchronous=normal");
  assert.equal(normal.file, "/p/deep/a.db");
  assert.throws(() => locate({ store: "" }), /--store is empty/);
  assert.throws(() => locate({ store: "sqlite:a.db?mode=ro" }), /Unknown store option "mode=ro"/);
  assert.throws(() => locate({ store: "sqlite:" }), /"sqlite:" has no path/);
  assert.throws(() => locate({ store: "mysql://db" }), /There is no store for "mysql:"/);
});

interface Fixture {
  /** The directory that contains everything for this setting. */
  top: string;
  cwd: string;
  env: Record<string, string>;
  flags: string[];
  /** The URL of the expected store; the session is in no other. */
  store: string;
  session: string;
  /** The store's display name. */
  shownAs: string;
  locate(): StoreLocation;
}

let fixtures = 0;

/** Creates the project and the expected store, with a session for every host. */
async function createFixture(setting: Setting): Promise<Fixture> {
  const top = realpathSync(temporaryDirectory());
  const root = join(top, setting.name ?? "project");
  const [home, state] = [join(top, "home"), join(top, "state")];
  const inside = join(root, "packages/deep");
  for (const path of [inside, home, join(root, ".git")]) mkdirSync(path, { recursive: true });
  const folder = projectFolder(root, { XDG_STATE_HOME: state });
  const filled = fill(setting, { root, home, inside, folder });
  const { env = {}, flags = [], config, refused, link, cwd = inside, expected } = filled;
  const places = { HOME: home, XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(home, ".config") };
  if (config) {
    mkdirSync(dirname(userConfigFile(places)), { recursive: true });
    writeFileSync(userConfigFile(places), JSON.stringify(config));
  }
  if (refused) writeFileSync(join(root, "holdfast.json"), JSON.stringify(refused));
  const session = `session-${++fixtures}`;
  const memory = await openMemory({ store: expected });
  for (const id of [session, `claude-code.${session}`])
    await (await memory.openSession(id)).notepad.write(`kept in ${session}`);
  // The plugins offer the scratchpad instead of the notepad.
  for (const host of ["pi", "openclaw"])
    await (await memory.openSession(`${host}.${session}`)).scratchpad.setPlan(`kept in ${session}`);
  await memory.close();
  if (link) symlinkSync(link[1], link[0]);
  Object.assign(process.env, places);
  return {
    top,
    cwd,
    env: { HOLDFAST_DB: "", NODE_COMPILE_CACHE: compiled, ...places, ...env },
    flags,
    store: expected,
    session,
    shownAs: link?.[0] ?? expected,
    locate: () => {
      const project = findProject(cwd);
      const options = { store: { type: "string" } } as const;
      const { values } = parseArgs({ args: flags, options });
      return locateStore({
        project,
        cwd,
        env,
        flags: values,
        config: readWorkspaceConfig(project),
      });
    },
  };
}

function fill(setting: Setting, paths: Record<"root" | "home" | "inside" | "folder", string>): Setting {
  const text = Object.entries(paths).reduce(
    (filled, [name, path]) => filled.replaceAll(`$${name}`, path),
    JSON.stringify(setting),
  );
  return JSON.parse(text);
}

async function askEntryPoints(request: EntryRequest): Promise<EntryAnswer> {
  entryPoints.send(request);
  const [{ shown, error }] = await once(entryPoints, "message");
  assert.equal(error, undefined);
  return shown;
}

function hookEvent(session_id: string, cwd: string): string {
  return JSON.stringify({ session_id, cwd, hook_event_name: "SessionStart", source: "startup" });
}

/** All files except those that hooks and SQLite keep next to a store. */
function listFiles(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length))
    .filter(
      (path) =>
        !/-(?:wal|shm)$|^\/state\/holdfast\/(?:serve\/|hook-failures-\w+\.jsonl$|projects\/[^/]+\/(?:cache\/|links\/|hook-failures\.jsonl$))|\/\.state\//.test(
          path,
        ),
    )
    .sort();
}

/** The display name as commands print it, with "~" for the home folder. */
function inHome({ shownAs, env }: Fixture): string {
  return shownAs.replace(`${env.HOME}/`, "~/");
}
