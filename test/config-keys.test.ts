import assert from "node:assert/strict";
import { test } from "node:test";
import { settingNames, settingOf } from "../src/workspace/settings.ts";
import { chatSettings } from "./config-keys/chat-settings.ts";
import { clearingSettings } from "./config-keys/clearing-settings.ts";
import { commandSettings, commandStore } from "./config-keys/command-settings.ts";
import { hookDeadline, hookSettings, hookStore } from "./config-keys/hook-settings.ts";
import { retentionSettings } from "./config-keys/retention-settings.ts";
import { type Entry, entriesOf, projectWith, type Scenario } from "./config-keys/run.ts";
import { surfaceSettings, toolSettings } from "./config-keys/tool-settings.ts";
import { handoffSettings, placementSettings, turnSettings } from "./config-keys/turn-settings.ts";
import { waitSettings } from "./config-keys/wait-settings.ts";

/** The evidence that each setting acts, in each entry point that its table names. */
const scenarios: readonly Scenario[] = [
  ...toolSettings,
  surfaceSettings,
  turnSettings,
  handoffSettings,
  placementSettings,
  retentionSettings,
  hookSettings,
  hookStore,
  hookDeadline,
  waitSettings,
  ...commandSettings,
  commandStore,
  clearingSettings,
  ...chatSettings,
];

/** Settings and entry points that the cases of these scenarios cover, as "entry: setting". */
function covered(among: readonly Scenario[]): Set<string> {
  const pairs = among.flatMap((scenario) =>
    scenario.entries.flatMap((entry) => Object.keys(scenario.cases(entry)).map((name) => pair(entry, name))),
  );
  return new Set(pairs);
}

const pair = (entry: Entry, name: string) => `${entry}: ${name}`;
const documented = settingNames.flatMap((name) =>
  entriesOf(settingOf(name).actsIn).map((entry) => pair(entry, name)),
);

test("every setting has a case in every entry point where the docs say that it acts, and in no other [config.acts]", () => {
  const shown = covered(scenarios);
  assert.deepEqual(
    documented.filter((each) => !shown.has(each)),
    [],
    "settings without a case; add one to test/config-keys",
  );
  assert.deepEqual(
    [...shown].filter((each) => !documented.includes(each)),
    [],
    "the settings' table is wrong",
  );
  // A missing case is noticed.
  const fewer = covered(scenarios.filter((each) => each !== hookDeadline));
  assert.deepEqual(
    documented.filter((each) => !fewer.has(each)),
    ["hook: hookDeadline"],
  );
});

for (const scenario of scenarios) {
  for (const entry of scenario.entries) {
    test(`${entry}, ${scenario.name}: each setting of the file acts, and without it nothing does [config.acts]`, async () => {
      const cases = Object.entries(scenario.cases(entry));
      const values = Object.fromEntries(cases.map(([name, { value }]) => [name, value]));
      const set = await scenario.run(entry, projectWith({ ...scenario.base, ...values }));
      const unset = await scenario.run(entry, projectWith(scenario.base ?? {}));
      const wrong: string[] = [];
      for (const [name, { seen }] of cases) {
        if (!(await seen(set))) wrong.push(`${name} does not act`);
        if (await seen(unset)) wrong.push(`${name} is seen to act although it is not set`);
      }
      const { answers, shown, output, errors } = set;
      assert.deepEqual(wrong, [], [...wrong, ...answers, ...shown, output.slice(-4_000), errors].join("\n"));
    });
  }
}
