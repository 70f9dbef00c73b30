import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { type Json, objectIn } from "../engine/json.ts";
import { chosenSurfaces, knownSurfaces } from "./chosen-surfaces.ts";
import {
  limitsOf,
  type ReadConfigOptions,
  readWorkspaceConfig,
  settingValue,
  userConfigFile,
} from "./config.ts";
import { explainProblems, readEntries, requireValid } from "./config-file.ts";
import { configSchema, hostConfigSchema } from "./config-schema.ts";
import { findProject, type Project } from "./project.ts";
import { settingNames, settingOf, surfaceChoices } from "./settings.ts";

/** Whether a value matches a JSON Schema. */
const fits = (schema: Json, value: unknown) => z.fromJSONSchema(objectIn(schema)).safeParse(value).success;

/** A project with these config files, and the environment that leads to the user's file. */
function projectWith(files: { shared?: unknown; user?: unknown }): {
  project: Project;
  env: NodeJS.ProcessEnv;
} {
  const top = temporaryDirectory();
  const root = join(top, "project");
  for (const folder of ["project/.git", "config/holdfast"]) mkdirSync(join(top, folder), { recursive: true });
  const write = (path: string, content: unknown) =>
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  if (files.shared !== undefined) write(join(root, "holdfast.json"), files.shared);
  if (files.user !== undefined) write(join(top, "config/holdfast/config.json"), files.user);
  return { project: findProject(root), env: { XDG_CONFIG_HOME: join(top, "config") } };
}

function configOf(shared: unknown, options: ReadConfigOptions = {}) {
  const { project, env } = projectWith({ shared });
  return readWorkspaceConfig(project, { env, ...options });
}

test("flags go before the environment, a host's config, the project's and the user's file [config.files]", () => {
  const { project, env } = projectWith({
    shared: { hookDeadline: 3, keep: 0.3, compactAt: 0.3, contextWindow: 30_000 },
    user: { hookDeadline: 4, keep: 0.4, contextWindow: 40_000, retention: 4 },
  });
  const read = (options: ReadConfigOptions) => readWorkspaceConfig(project, { env, ...options });
  const { values, origins, problems } = read({
    env: { ...env, HOLDFAST_HOOK_DEADLINE: "1" },
    host: { name: "host.json", settings: { compactAt: 0.15 } },
    flags: { set: ["keep=0.1"], "older-than": "30d" },
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(values, {
    hookDeadline: 1,
    keep: 0.1,
    compactAt: 0.15,
    contextWindow: 30_000,
    retention: 4,
  });
  assert.deepEqual(
    Object.values(origins).map((origin) => (origin.source === "file" ? origin.scope : origin.source)),
    ["user", "flag", "project", "environment", "host"].toSorted((a, b) => order(a) - order(b)),
  );
  assert.equal(settingValue({ values }, "skills"), undefined);
  assert.equal(settingValue({ values }, "interactiveLockTimeout"), 2_000);
});

function order(source: string): number {
  return ["environment", "flag", "project", "user", "host"].indexOf(source);
}

test("a setting that reaches outside the project is refused in holdfast.json, and taken from the user's file [config.outside]", async () => {
  const written = {
    store: "postgres://elsewhere/notes",
    secrets: "allow",
    skills: ["/etc"],
    project: { beads: true },
    retention: 0,
  } as const;
  const { project: nested, ...rest } = written;
  const values = { ...rest, "project.beads": nested.beads };
  const outside = settingNames.filter((name) => settingOf(name).isOfUser);
  assert.deepEqual(outside.toSorted(), ["project.beads", "retention", "secrets", "skills", "store"]);
  const { project, env } = projectWith({ shared: { ...written, keep: 0.5 }, user: written });
  const config = readWorkspaceConfig(project, { env });
  assert.deepEqual(config.values, { ...values, keep: 0.5 });
  for (const name of outside.filter((each) => each in values))
    assert.equal(config.origins[name]?.source === "file" && config.origins[name].scope, "user", name);
  const alone = configOf({ ...written, keep: 0.5 });
  assert.deepEqual([alone.values, alone.store], [{ keep: 0.5 }, undefined]);
  const problems = await explainProblems(alone);
  assert.equal(problems.length, 5, problems.join("\n"));
  for (const problem of problems) {
    assert.match(problem, /holdfast\.json:\d+: "[\w.]+" cannot be set in a file of the project/);
    assert.ok(problem.includes(`Put it into ${userConfigFile()}`), problem);
  }
  assert.match(problems.join("\n"), /"store" cannot .*, or set \$HOLDFAST_DB/);
});

test("holdfast.json makes a folder a project, so that a subfolder finds it [config.files]", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "packages/deep"), { recursive: true });
  writeFileSync(join(root, "holdfast.json"), "{}");
  assert.equal(findProject(join(root, "packages/deep")).root, root);
});

test("the seeds' names are nested or dotted, and today's flat names work [config.names]", () => {
  const expected = {
    "scratchpad.enabled": true,
    "scratchpad.maxTokens": 3_000,
    "scratchpad.nudgeAfterTurns": 4,
    "scratchpad.nudgeOnPlanDetected": 1,
    "scratchpad.nudgeAfterCompaction": 1,
    "scratchpad.nudgeTurnsSinceLastUse": 6,
  };
  const own = Object.entries(expected).map(
    ([name, value]) => [name.slice("scratchpad.".length), value] as const,
  );
  const { enabled, maxTokens, ...nudges } = Object.fromEntries(own);
  for (const written of [
    { scratchpad: Object.fromEntries(own) },
    expected,
    { agents: { defaults: { claudeSdk: { scratchpad: Object.fromEntries(own) } } } },
    { ...nudges, "scratchpad.enabled": enabled, limits: { scratchpadTokens: maxTokens } },
    { ...nudges, nudgeOnPlanDetected: true, nudgeAfterCompaction: true, scratchpad: { enabled, maxTokens } },
  ]) {
    const config = configOf(written);
    assert.deepEqual(config.problems, []);
    assert.deepEqual({ ...config.values }, expected, JSON.stringify(written));
    assert.equal(config.nudges.nudgeTurnsSinceLastUse, 6);
    assert.equal(limitsOf(config).scratchpadTokens, 3_000);
  }
  const off = configOf({ clearing: false, scratchpad: false });
  assert.deepEqual(off.values, { clearing: false, "scratchpad.enabled": false });
});

test("an unknown key or a bad value names the closest key and the line [config.mistakes]", async () => {
  const text = `{
  "compactAt": 1.5,
  "scratchpad": {
    "maxToken": 5, "nudgeAfterTurns": -1
  },
  "keap": 0.5,
  "surfaces": ["notpad"],
  "nothingLikeIt": true,
  "limits": 5,
  "keep": 0.5, "placement": "sytem",
  "scratchpad.maxTokens": 0
}`;
  const config = configOf(text);
  const problems = (await explainProblems(config)).map((each) => each.replace(/^.*\/(?=holdfast\.json)/, ""));
  assert.deepEqual(problems, [
    `holdfast.json:4: there is no setting "scratchpad.maxToken"; did you mean "scratchpad.maxTokens"?`,
    `holdfast.json:6: there is no setting "keap"; did you mean "keep"?`,
    `holdfast.json:8: there is no setting "nothingLikeIt"; "holdfast config" lists the settings.`,
    `holdfast.json:9: "limits" must be an object (got 5).`,
    `holdfast.json:2: "compactAt" must be a number above 0 and at most 1 (got 1.5).`,
    `holdfast.json:4: "scratchpad.nudgeAfterTurns" must be a whole number of at least 0, or true or false (got -1).`,
    `holdfast.json:7: "surfaces" must be a list, each item one of ${surfaceChoices.join(", ")} (got ["notpad"]).`,
    `holdfast.json:10: "placement" must be one of epoch, system, message (got "sytem").`,
    `holdfast.json:11: "scratchpad.maxTokens" must be a whole number of at least 1 (got 0).`,
  ]);
  assert.deepEqual(config.values, { keep: 0.5 }, "what is right is used");
});

test("a file that is not JSON, a flag and a variable are reported by name [config.mistakes]", async () => {
  const explained = async (shared: unknown, options: ReadConfigOptions = {}) =>
    (await explainProblems(configOf(shared, options))).map((each) =>
      each.replace(/^.*\/(?=holdfast\.json)/, ""),
    );
  assert.deepEqual(await explained('{\n  "keep": 0.5,\n  nope\n}'), [
    "holdfast.json:3 is not valid JSON; using the defaults.",
  ]);
  assert.deepEqual(await explained("[]"), ["holdfast.json is not a JSON object; using the defaults."]);
  assert.deepEqual(
    await explained({}, { flags: { surfaces: "lots", set: ["contextWindow=lots", "kep=1"] } }),
    [
      `--surfaces must be a list, each item one of ${surfaceChoices.join(", ")} (got ["lots"]).`,
      `--set contextWindow=lots must be a whole number of at least 4000 (got NaN).`,
      `--set kep=1: there is no setting "kep"; did you mean "keep"?`,
    ],
  );
  assert.deepEqual(
    await explained({}, { env: { HOLDFAST_HOOK_DEADLINE: "soon", XDG_CONFIG_HOME: "/nowhere" } }),
    ["$HOLDFAST_HOOK_DEADLINE must be a whole number from 1 to 60000 (got NaN)."],
  );
  assert.deepEqual(await explained('{"keep": 0.1, "keep": 0.2}'), [], "JSON itself takes the last one");
  assert.deepEqual(await explained({ "scratchpad.maxTokens": 1, scratchpad: { maxTokens: 2 } }), [
    `holdfast.json:4: "scratchpad.maxTokens" is set twice; using the last one.`,
  ]);
});

test("a command that stops at a broken file does not claim to use the defaults [config.mistakes]", async () => {
  for (const [content, problem] of [
    ["{", /holdfast\.json:1 is not valid JSON\. Correct or remove the file\.$/],
    ["[]", /holdfast\.json is not a JSON object\. Correct or remove the file\.$/],
    [{ keep: 2 }, /"keep" must be .* \(got 2\)\.$/],
  ] as const)
    await assert.rejects(requireValid(configOf(content)), { message: problem });
});

test("every setting can be set by a flag [config.flags]", () => {
  const { values, problems } = configOf(
    {},
    {
      flags: {
        set: [
          "nudgeAfterTurns=3",
          "limits.refs=7",
          "clearing=false",
          "surfaces=notes,tasks",
          "project.file=a=b.md",
          "contextWindow=8000",
        ],
      },
    },
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(values, {
    contextWindow: 8_000,
    "scratchpad.nudgeAfterTurns": 3,
    "limits.refs": 7,
    surfaces: ["notes", "tasks"],
    "project.file": "a=b.md",
    clearing: false,
  });
});

test("enabled: false removes the scratchpad even if surfaces names it; true adds it [config.scratchpad-off]", () => {
  const { project } = projectWith({});
  const chosen = (shared: unknown) => chosenSurfaces({ project, config: configOf(shared) });
  const surfaces = ["notes", "scratchpad"];
  assert.deepEqual(chosen({ surfaces }), surfaces);
  assert.deepEqual(chosen({ surfaces, scratchpad: { enabled: false } }), ["notes"]);
  assert.deepEqual(chosen({ scratchpad: { enabled: true } }), ["notepad", "pins", "recall", "scratchpad"]);
  assert.deepEqual(chosen({ surfaces: ["notes"], scratchpad: { enabled: true } }), surfaces);
});

test("the schema and the checks agree on every setting, nested and dotted [config.schema]", () => {
  const schema = configSchema() as Json;
  const samples: Json[] = [
    true,
    false,
    -1,
    0,
    1,
    0.5,
    2,
    4_000,
    70_000,
    "epoch",
    "x",
    [],
    ["notes"],
    ["x"],
    {},
    null,
  ];
  for (const name of settingNames) {
    const { alias, default: fallback, isOfUser } = settingOf(name);
    const [group = "", rest] = name.split(".");
    for (const value of [...samples, ...(fallback === undefined ? [] : [fallback as Json])]) {
      const forms: Record<string, Json>[] = [{ [name]: value }];
      if (rest !== undefined) forms.push({ [group]: { [rest]: value } });
      if (alias !== undefined && !alias.includes(".")) forms.push({ [alias]: value });
      for (const form of forms) {
        const isValid = fits(schema, form);
        const { project, env } = projectWith({ user: form });
        const { problems } = readWorkspaceConfig(project, { env });
        assert.equal(problems.length === 0, isValid, JSON.stringify(form));
        const inProject = isOfUser ? false : isValid;
        assert.equal(configOf(form).problems.length === 0, inProject, JSON.stringify(form));
        if (value === fallback) assert.ok(isValid, `the default of ${name}`);
      }
    }
  }
  assert.ok(!fits(schema, { keap: 1 }));
  assert.ok(!fits(schema, { scratchpad: { maxToken: 1 } }));
  for (const [scratchpad, isValid] of [
    [{ enabled: true, maxTokens: 777 }, true],
    [{ maxToken: 1 }, false],
  ] as const) {
    const form = { agents: { defaults: { claudeSdk: { scratchpad } } } };
    assert.equal(fits(schema, form), isValid);
    assert.equal(configOf(form).problems.length === 0, isValid);
  }
  const stray = configOf({ agents: { defaults: { claudeSdk: { keep: 0.5 } } } });
  assert.match(stray.problems[0]?.message ?? "", /there is no setting "agents\.defaults\.claudeSdk\.keep"/);
});

test("the schema for a host has no defaults, or a host would set everything [config.openclaw]", () => {
  assert.doesNotMatch(JSON.stringify(hostConfigSchema()), /"default":/);
  const { entries, problems } = readEntries({ scratchpad: { enabled: true }, "limits.refs": 3 });
  assert.deepEqual([entries.length, problems], [2, []]);
  assert.ok(fits(hostConfigSchema() as Json, { scratchpad: { enabled: true } }));
});

test("the surfaces that can be configured are those that exist [config.names]", () => {
  assert.deepEqual(surfaceChoices.toSorted(), knownSurfaces.toSorted());
});
