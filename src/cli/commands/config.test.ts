import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Outcome } from "../../../test/support/command-line.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { configSchema } from "../../workspace/config-schema.ts";
import { settingNames } from "../../workspace/settings.ts";

/** A project with a holdfast.json, and a function that runs `holdfast` in it. */
function projectWith(config?: unknown) {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  if (config !== undefined) writeFileSync(join(root, "holdfast.json"), JSON.stringify(config, null, 2));
  const run = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    holdfastWith(
      {
        TEST_DIRECTORY: root,
        HOME: root,
        XDG_CONFIG_HOME: join(root, "user"),
        HOLDFAST_DB: "",
        ...env,
      },
      ...args,
    );
  return { root, run };
}

test("with a broken holdfast.json, commands that read use the defaults, and others stop [config.mistakes]", async () => {
  const { root, run } = projectWith();
  const env = { HOLDFAST_DB: join(root, "memory.db") };
  assert.equal((await run(["pin", "never push to main"], env)).code, 0);
  writeFileSync(join(root, "holdfast.json"), "{");
  for (const command of ["pin", "sessions"]) {
    const { code, stderr } = await run([command], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^holdfast: \S+holdfast\.json:1 is not valid JSON; using the defaults\.\n$/);
  }
  for (const args of [
    ["pin", "another rule"],
    ["project", "recover"],
  ]) {
    const { code, stderr } = await run(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /holdfast\.json:1 is not valid JSON\. Correct or remove the file\.\n$/);
  }
});

test("show and sessions refuse an empty file and a directory, and change neither [people.bad-store]", async () => {
  const { root, run } = projectWith();
  const [empty, directory] = [join(root, "empty.db"), join(root, "directory")];
  writeFileSync(empty, "");
  mkdirSync(directory);
  for (const command of ["show", "sessions"]) {
    const onEmpty = await run([command, "--store", empty]);
    assert.equal(onEmpty.code, 1);
    assert.match(onEmpty.stderr, /There is no memory at \S+empty\.db yet\. Check --store/);
    assert.equal(readFileSync(empty, "utf8"), "");
    const onDirectory = await run([command, "--store", directory]);
    assert.equal(onDirectory.code, 1);
    assert.match(onDirectory.stderr, /directory is not a regular file\. Use another file\./);
  }
});

test("config prints every setting with its value and its source [config.command]", async () => {
  const { root, run } = projectWith({ compactAt: 0.7 });
  mkdirSync(join(root, "user/holdfast"), { recursive: true });
  writeFileSync(join(root, "user/holdfast/config.json"), '{ "keep": 0.1, "store": "/elsewhere/memory.db" }');
  const env = { HOLDFAST_HOOK_DEADLINE: "900" };
  const { stdout, stderr, code } = await run(["config", "--json", "--set", "clearing=false"], env);
  assert.equal(code, 0, stderr);
  const { settings, files } = JSON.parse(stdout);
  assert.deepEqual(
    settings.map(({ name }: { name: string }) => name),
    settingNames,
  );
  const shown = (name: string) => {
    const { value, origin } = settings.find((each: { name: string }) => each.name === name);
    return [value, origin.source, origin.path ?? origin.name];
  };
  const shared = join(root, "holdfast.json");
  const user = join(root, "user/holdfast/config.json");
  assert.deepEqual(shown("compactAt"), [0.7, "file", shared]);
  assert.deepEqual(shown("keep"), [0.1, "file", user]);
  assert.deepEqual(shown("hookDeadline"), [900, "environment", "HOLDFAST_HOOK_DEADLINE"]);
  assert.deepEqual(shown("clearing"), [false, "flag", "--set clearing=false"]);
  assert.deepEqual(shown("placement"), ["epoch", "default", undefined]);
  assert.deepEqual(shown("store"), ["/elsewhere/memory.db", "file", user]);
  assert.deepEqual(
    files.map(({ path }: { path: string }) => path),
    [shared, user],
  );
  const changed = await run(["config", "--changed"], env);
  assert.match(changed.stdout, /^compactAt +0\.7 +← .*holdfast\.json$/m);
  assert.match(changed.stdout, /^store +\/elsewhere\/memory\.db +← .*config\.json$/m);
  assert.doesNotMatch(changed.stdout, /^placement/m);
});

test("a mistake stops the commands of people, and config and doctor report it [config.mistakes] [config.doctor]", async () => {
  const { run } = projectWith({ scratchpad: { maxToken: 5 } });
  const problem =
    /holdfast\.json:3: there is no setting "scratchpad\.maxToken"; did you mean "scratchpad\.maxTokens"\?/;
  for (const args of [
    ["sessions"],
    ["show"],
    ["chat", "-p", "hi"],
    ["serve", "--no-open"],
    ["project", "verify"],
  ]) {
    const { code, stderr } = await run(args);
    assert.equal(code, 1, args[0]);
    assert.match(stderr, problem, args[0]);
  }
  const config = await run(["config"]);
  assert.equal(config.code, 1);
  assert.match(config.stderr, problem);
  assert.match(config.stdout, /^compactAt/m);
  const doctor = await run(["doctor", "--json"]);
  assert.equal(doctor.code, 1);
  assert.match(JSON.parse(doctor.stdout).config[0], problem);
  assert.match((await run(["doctor"])).stdout, /PROBLEM +config .*maxTokens/);
});

test("config schema prints the schema that is shipped [config.schema]", async () => {
  const { run } = projectWith();
  const { stdout } = await run(["config", "schema"]);
  assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(configSchema())));
  const shipped = readFileSync(join(import.meta.dirname, "../../../holdfast.schema.json"), "utf8");
  assert.equal(stdout, shipped);
  assert.match(
    (await run(["config", "shema"])).stderr,
    /There is no "shema" to print\. Usage: holdfast config \[schema\]/,
  );
});

test("init --surfaces writes the choice to the user's config, or with --project to holdfast.json [config.init]", async () => {
  const { root, run } = projectWith({ keep: 0.3 });
  const file = join(root, "holdfast.json");
  const before = readFileSync(file, "utf8");
  const args = ["init", "claude-code", "--surfaces", "notepad,scratchpad"];
  const dry = await run([...args, "--project", "--dry-run", "--diff"]);
  assert.match(dry.stdout, /\+ +"surfaces"/);
  assert.equal(readFileSync(file, "utf8"), before);
  const real = await run([...args, "--project"]);
  assert.equal(real.code, 0, real.stderr);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    keep: 0.3,
    surfaces: ["notepad", "scratchpad"],
  });
  const wrong = await run(["init", "claude-code", "--surfaces", "notpad"]);
  assert.match(wrong.stderr, /--surfaces must be a list, each item one of notepad/);
  await run([...args, "--user"]);
  const user = join(root, "user/holdfast/config.json");
  assert.ok(existsSync(user));
  assert.deepEqual(JSON.parse(readFileSync(user, "utf8")), { surfaces: ["notepad", "scratchpad"] });
  await run(["uninstall", "claude-code"]);
  assert.ok(existsSync(file), "the config is the user's");
});
