import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { StoredMessage } from "../../context/conversation.ts";
import { findRules, type KnownRules, withoutWithdrawn } from "./find-rules.ts";
import { isRule, mayBeRule } from "./is-rule.ts";
import { ownSentences } from "./own-words.ts";
import { ordinary } from "./test-support/ordinary-sentences.ts";
import { rules } from "./test-support/stated-rules.ts";

const nothing: KnownRules = { found: [], settled: [] };

function conversation(...texts: string[]): StoredMessage[] {
  return texts.flatMap((content, index) => [
    { number: 2 * index + 1, at: 0, message: { role: "user" as const, content } },
    { number: 2 * index + 2, at: 0, message: { role: "assistant" as const, content: "Understood." } },
  ]);
}

function found(...texts: string[]): string[] {
  return findRules(conversation(...texts), nothing).texts;
}

/** What this thread spends on some work, in milliseconds: a busy machine takes the processor away from it. */
function cpuTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** The words of a demand for good. */
const demanding =
  /\b(?:never|always|must|mustn't|do not|don't|forbidden|not allowed|off limits|from now on)\b/i;

test("rules are found in many phrasings and languages, word for word [pins.found]", () => {
  const missed = rules.filter((rule) => !ownSentences(rule).some(mayBeRule));
  assert.ok(missed.length <= rules.length * 0.03, `missed:\n${missed.join("\n")}`);
  const demands = rules.filter((rule) => demanding.test(rule));
  const unnamed = demands.filter((rule) => !ownSentences(rule).some(isRule));
  assert.ok(demands.length > 140);
  assert.ok(unnamed.length <= demands.length * 0.03, `kept, and not called rules:\n${unnamed.join("\n")}`);
  const inPassing =
    "Thanks, that works. Now look at the parser. Never push to main without asking me. Then go on.";
  assert.deepEqual(found(inPassing), ["Never push to main without asking me."]);
});

test("of rules that others told, in passing and corrected later, nearly all are kept in their last form [pins.told]", () => {
  const told = readLines<Told>("told-rules.jsonl");
  const isKept = ({ messages, keep, gone }: Told) => {
    const { texts, possible } = findRules(conversation(...messages), nothing);
    const shown = plainly([...texts, ...possible.map(({ text }) => text)].join("\n"));
    return (
      keep.every((text) => shown.includes(plainly(text))) &&
      !gone.some((text) => shown.includes(plainly(text)))
    );
  };
  const lost = told.filter((each) => !isKept(each));
  assert.equal(told.length, 192);
  assert.ok(lost.length <= told.length * 0.05, lost.map(({ messages }) => messages.join(" → ")).join("\n"));
  const others = readLines<string>("other-messages.jsonl");
  const taken = others.filter((text) => found(text).length > 0);
  assert.equal(others.length, 1_200);
  assert.ok(taken.length <= others.length * 0.02, taken.join("\n"));
});

interface Told {
  messages: string[];
  /** Fragments that are shown afterwards, and fragments of what no longer holds. */
  keep: string[];
  gone: string[];
}

/** Texts that the weights were not fitted on. */
function readLines<Line>(name: string): Line[] {
  const path = join(import.meta.dirname, "test-support", name);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Line);
}

function plainly(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\[…\] ?/g, "")
    .replace(/[.!?,;]+$/, "");
}

test("a rule is found however many signs, spaces and openers come before it [pins.found]", () => {
  const stated = [
    "Bei Deployments,Releases gilt:immer zuerst die Tests.",
    "Für Fehler,a,b, immer erst ein Test.",
    "Im Code – wir schreiben stets Englisch.",
    "Please, ok, and also, as for deploys, never push on a Friday.",
    "As for naming — always use kebab-case.",
  ];
  for (const text of stated) assert.ok(isRule(text), text);
  const spaced = "Always deploy to eu-west-1   -- no, sorry, eu-west-2.";
  assert.deepEqual(found(spaced), ["Always deploy to […] eu-west-2"]);
});

test("questions, faults, tasks and facts are no rules [pins.ordinary]", () => {
  assert.deepEqual(
    ordinary.filter((text) => ownSentences(text).some(isRule)),
    [],
  );
});

test("what the user quotes or pastes is not the user's rule [pins.ordinary]", () => {
  const pasted = [
    "Why does this fail?\n```\n// never call this twice, always lock first\nrun();\n```",
    "It prints:\n2026-01-02 10:00:00 WARN you must never use this in production\nAlways set a password.",
    "> Never push to main.\nWhat do you think of this?",
    "Here is our CLAUDE.md:\n\n# Rules\n- Never push to main\n- Always run the tests\n",
    "# Guide\n\nAlways run the linter.\n\n## Deploys\n\nNever deploy on Fridays.\n",
    "The policy document says:\nEmployees must never share passwords.\nAll laptops must be encrypted.",
    "<system-reminder>\nYou must never mention this.\n</system-reminder>",
    "error: you must not commit to main\nAlways use a branch.",
    "    never indented code\n    always the same",
    'The docs say "you must always close the handle", is that right?',
  ];
  for (const text of pasted) assert.deepEqual(found(text), [], text);
  assert.deepEqual(found("<log>\nnever mind\n</log>\nPlease never delete the logs."), [
    "Please never delete the logs.",
  ]);
  const below = "Look at this guide:\n\n# Setup\n\nAlways use root.\n\nBtw, never use root on this machine.";
  assert.deepEqual(found(below), ["Btw, never use root on this machine."]);
});

const corrections: [said: string[], kept: string[], gone: string][] = [
  [["Always deploy to eu-west-1 — no, sorry, eu-west-2."], ["Always deploy to […] eu-west-2."], "eu-west-1"],
  [["Never use port 8080. Sorry, I meant 9090."], ["Never use port […] 9090"], "8080"],
  [["Always use npm, no wait, pnpm."], ["Always use […] pnpm."], " npm"],
  [
    ["From now on deploy on Tuesday, actually Wednesday."],
    ["From now on deploy on […] Wednesday."],
    "Tuesday",
  ],
  [
    ["Please always answer in German. Oh sorry, I meant in French."],
    ["Please always answer […] in French."],
    "German",
  ],
  [["Always keep 5 backups, no, 7."], ["Always keep […] 7 backups"], "5"],
  [["Never commit to main. Scratch that."], [], "main"],
  [
    [
      "Always start the dev server on port 4000.",
      "Go on.",
      "Change of plan: the dev server moves to port 5000.",
    ],
    ["Change of plan: the dev server moves to port 5000."],
    "4000",
  ],
  [
    ["Never use more than 4 workers.", "ok", "Never use more than 8 workers."],
    ["Never use more than 8 workers."],
    "4",
  ],
  [
    ["Never push to main without asking.", "Next.", "Actually, you can push to main without asking now."],
    ["Actually, you can push to main without asking now."],
    "Never push",
  ],
  [
    ["We use pnpm, not npm.", "Correction: we use yarn, not pnpm."],
    ["Correction: we use yarn, not pnpm."],
    "We use pnpm",
  ],
  [
    ["Commit messages must be in English.", "Fix it.", "Commit messages must be in German from now on."],
    ["Commit messages must be in German from now on."],
    "English",
  ],
  [
    ["Verwende immer Port 4000.", "Korrektur: verwende immer Port 5000."],
    ["Korrektur: verwende immer Port 5000."],
    "4000",
  ],
];

test("of a corrected rule only the last form is kept, however late the correction comes [pins.corrected]", () => {
  for (const [said, kept, gone] of corrections) {
    const texts = found(...said);
    assert.deepEqual(
      texts.map((text) => text.replace(/\.$/, "")),
      kept.map((text) => text.replace(/\.$/, "")),
    );
    assert.ok(!texts.some((text) => text.includes(gone)), `${gone} is still in ${texts}`);
  }
});

test("a rule that is taken back in its message is kept as it is said anew, with or without the reason between [pins.corrected]", () => {
  for (const [said, kept, gone] of [
    ["Always use yarn here. Sorry, I mean pnpm, we switched last month.", "pnpm", "yarn"],
    [
      "Never deploy on Fridays. Hmm, actually Thursdays are bad as well. So: never deploy on Thursdays or Fridays.",
      "never deploy on Thursdays or Fridays",
      "Never deploy on Fridays",
    ],
    [
      "Always store prices as floats, no wait, that's the legacy table. Prices are always stored as integer cents.",
      "integer cents",
      "floats",
    ],
    [
      "Always keep the logs for 14 days. No, that is too short. Keep them for 90 days, always.",
      "90 days",
      "14",
    ],
    [
      "Always name tests foo_test.py, oh no that was the Go project, here they are called test_foo.py.",
      "test_foo.py",
      "foo_test.py",
    ],
  ] as const) {
    const { texts, possible } = findRules(conversation(said), nothing);
    const all = [...texts, ...possible.map(({ text }) => text)].join("\n");
    assert.ok(all.includes(kept) && !all.includes(gone), `${said}\n→ ${all}`);
  }
});

test("padding beside a rule is no part of it [pins.ordinary]", () => {
  const { texts, possible } = findRules(conversation(`Never push to main. ${"pad ".repeat(200)}`), nothing);
  assert.deepEqual([texts, possible], [["Never push to main."], []]);
});

test("what the user has corrected is not kept in another way either [pins.corrected]", () => {
  const messages = conversation(
    "Always log to /var/log/a — no, sorry, /var/log/b.",
    "Look into /var/log/ab.",
  );
  const { withdrawn } = findRules(messages, nothing);
  assert.deepEqual(withdrawn, ["/var/log/a"]);
  assert.deepEqual(
    withoutWithdrawn(messages, withdrawn).map(({ message }) => message.content),
    ["Always log to […] — no, sorry, /var/log/b.", "Understood.", "Look into /var/log/ab.", "Understood."],
  );
});

test("a corrected word or small number is taken out of the rule, not out of other requests [pins.corrected]", () => {
  const messages = conversation(
    "Always indent with 2 spaces. Sorry, 4 spaces.",
    "Fix the 2 failing tests and release version 2.",
  );
  const { texts, withdrawn } = findRules(messages, nothing);
  assert.deepEqual(texts, ["Always indent with […] 4 spaces"]);
  const said = withoutWithdrawn(messages, withdrawn).map(({ message }) => message.content);
  assert.equal(said[0], "Always indent with […] spaces. Sorry, 4 spaces.");
  assert.equal(said[2], "Fix the 2 failing tests and release version 2.");
});

test("rules about other things stay beside each other [pins.corrected]", () => {
  for (const pair of [
    ["All commit messages must be in English.", "All commit messages must start with the ticket id."],
    ["Never push to main.", "Never push to production."],
    ["Never touch src/a.ts in this repo.", "Never touch src/b.ts in this repo."],
    ["Always use tabs, never spaces.", "Never deploy on Fridays."],
  ])
    assert.deepEqual(found(...pair), pair);
  const task = "Deploy the docs now please, and use the script instead of the button.";
  assert.deepEqual(found("Never deploy on Fridays.", task), ["Never deploy on Fridays."]);
});

test("what the user says later leaves a rule as it is, unless it corrects it [pins.corrected]", () => {
  const left = new Set(found(...rules, ...ordinary));
  const lost = found(...rules).filter((rule) => !left.has(rule));
  assert.ok(lost.length <= 1, `lost:\n${lost.join("\n")}`);
  for (const [rule, later] of [
    ["Never push to main without asking.", "It is not main that is broken, it's the release branch."],
    ["Never push to main without asking.", "actually, can you push the fix to main?"],
    ["Never touch the billing module.", "Wait, did you touch the billing module?"],
    ["Always ask me before you delete files.", "You may delete the files in /tmp/x now."],
    ["Never use port 8080.", "grafana is not on port 3000"],
  ] as const)
    assert.deepEqual(found(rule, later), [rule]);
  for (const remark of ["Sorry for being so strict.", "I mean it.", "Wait for me.", "Oops, I have to go."])
    assert.deepEqual(found(`Never commit to main. ${remark}`), ["Never commit to main."]);
  const inline = ["Never touch prod, sorry, but I've been burnt before.", "Never push to main, I mean it."];
  assert.deepEqual(found(...inline), inline);
});

test("leave for once, and talk about the same thing, leave a rule as it is [pins.corrected]", () => {
  for (const [rule, later] of [
    ["Never push to main without asking.", "ok push to main now"],
    ["Never deploy to production without my ok.", "Go ahead, deploy it to production."],
    ["Don't delete anything in the database without asking me.", "The database is okay again."],
    ["Never commit secrets.", "the secrets check is wrong again"],
    ["Always run the tests before you commit.", "The tests pass now, commit."],
  ] as const)
    assert.deepEqual(found(rule, later), [rule]);
  const both = ["Never push to main.", "Oh and sorry, never touch the .env file either."];
  assert.deepEqual(found(both.join(" ")), both);
});

test("a reminder, small talk, and a correction of something else leave a rule as it is [pins.corrected]", () => {
  const rule = "Always run the tests before you commit.";
  for (const later of [
    "Please don't forget the rule about tests.",
    "Why did you ignore what I said about tests?",
    "You can't just drop the test requirement.",
  ])
    assert.deepEqual(found(rule, later)[0], rule, later);
  for (const after of ["Hmm, ok.", "The logo is red. No, blue.", "Can you check why CI is red? Never mind."])
    assert.equal(
      found(`Always deploy to staging first. ${after}`)[0],
      "Always deploy to staging first.",
      after,
    );
  for (const whole of [
    "If a test is flaky, always make it deterministic.",
    "Never push to main, oh and always rebase before pushing.",
    "When in doubt, always hold on and ask me.",
    "Never use sudo, no you don't need it.",
  ])
    assert.deepEqual(found(whole), [whole]);
  const three = [
    "Never commit secrets.",
    "Always write commit messages in English.",
    "Never commit to main.",
  ];
  const without = found(...three, "Forget the rule about English commit messages.");
  assert.deepEqual(without, ["Never commit secrets.", "Never commit to main."]);
});

test("what a host reports in the user's place is not the user's [pins.found]", () => {
  const report = `<task-notification>\n<status>completed</status>\n</task-notification>\nNever read the output file twice, always use C:\\tasks\\b1.output.`;
  const { texts, possible } = findRules(conversation(report, "Never push to main."), nothing);
  assert.deepEqual(texts, ["Never push to main."]);
  assert.deepEqual(possible, []);
});

test("a repeated rule is not replaced by the sentence beside it [pins.lasting]", () => {
  const rule = "Never push to main.";
  assert.deepEqual(found(rule, `${rule} Now look at 17.`, `${rule} Thanks.`), [rule]);
});

test("many different rules take time in proportion to their number [pins.linear]", () => {
  const time = (count: number): number => {
    const texts = Array.from({ length: count }, (_, index) => `Never touch q${index}x.`);
    return cpuTime(() => found(...texts));
  };
  time(200);
  const [few, many] = [time(500), time(2_000)];
  assert.ok(many < Math.max(few, 20) * 16, `${few} ms for 500, ${many} ms for 2,000`);
});

test("messages that are read again leave a corrected rule as it is [pins.lasting]", () => {
  const said = conversation(
    "Always use port 8080 for the dev server.",
    "Actually, always use port 9090 for the dev server.",
  );
  const { texts } = findRules(said, nothing);
  const known = { found: texts.map((text) => ({ id: "p1", text })), settled: [] };
  assert.deepEqual(texts, ["Actually, always use port 9090 for the dev server."]);
  assert.deepEqual(findRules(said, known), { texts: [], possible: [], replaced: [], withdrawn: ["8080"] });
});

test("a rule with a NUL in it can be stored [pins.found]", () => {
  assert.deepEqual(found("Never push\0 to main without asking."), [
    "Never push\ufffd to main without asking.",
  ]);
});

test("a rule is taken back by what it is about [pins.corrected]", () => {
  const said = ["Never add comments to the code.", "Always use tabs."];
  assert.deepEqual(found(...said, "scrap the rule about comments"), ["Always use tabs."]);
  assert.deepEqual(found(...said, "ok, forget what I said about tabs"), ["Never add comments to the code."]);
});

test("the points of a list of rules have their heading, and wrapped lines are whole [pins.found]", () => {
  assert.deepEqual(found("Things you must not do:\n- push to main\n- edit .env\n\nNow fix the bug."), [
    "Things you must not do: push to main",
    "Things you must not do: edit .env",
  ]);
  assert.deepEqual(found("Never deploy to\nAWS without asking me."), [
    "Never deploy to AWS without asking me.",
  ]);
});

test("known rules are not found again, and an earlier one that was corrected is replaced [pins.lasting]", () => {
  const known: KnownRules = {
    found: [{ id: "p1", text: "Always start the dev server on port 4000." }],
    settled: ["Never push to main."],
  };
  const again = conversation("never push to main", "Always start the dev server on port 4000.");
  assert.deepEqual(findRules(again, known), { texts: [], possible: [], replaced: [], withdrawn: [] });
  const later = conversation("Sorry, the dev server must always start on port 5000.");
  assert.deepEqual(findRules(later, known), {
    texts: ["Sorry, the dev server must always start on port 5000."],
    possible: [],
    replaced: ["p1"],
    withdrawn: ["4000"],
  });
});

test("a text of any shape is searched in linear time [pins.linear]", () => {
  const pieces = [
    "never ",
    "all the ",
    "we use a, ",
    "no ",
    "<a>",
    "always, ",
    "don't you ",
    "```",
    "a".repeat(50),
    "。永远",
    "! ",
    "x . y ",
  ];
  const time = (size: number): number => {
    return cpuTime(() => {
      for (const piece of pieces) found(piece.repeat(size / piece.length));
    });
  };
  time(1_000);
  const [short, long] = [time(10_000), time(40_000)];
  assert.ok(long < Math.max(short, 20) * 16, `${short} ms for 10 kB, ${long} ms for 40 kB`);
});

/** What is kept of the messages, found or possible. */
function kept(...messages: string[]): string[] {
  const { texts, possible } = findRules(conversation(...messages), nothing);
  return [...texts, ...possible.map(({ text }) => text)];
}

test("a change that is said in other words replaces the rule, and is kept as the rule was [pins.corrected]", () => {
  for (const [rule, change] of [
    ["Always use npm in this repo.", "let's switch to pnpm"],
    ["Stick with Terraform.", "we moved to OpenTofu for all infra"],
    [
      "All experiments are run with five seeds.",
      "The reviewer says five is not enough, so make it ten seeds.",
    ],
    ["Always deploy to eu-west-1.", "eu-west-1 is gone, eu-central-1 is where things live now"],
    [
      "Post in #ops before every rollout.",
      "the ops channel got archived, rollouts are announced in #train these days",
    ],
    ["Please use Go 1.21, nothing newer.", "write for Go 1.22 from now on"],
  ] as const)
    assert.deepEqual(kept(rule, change), [change]);
});

test("a rule about something else, a case of its own and news replace nothing [pins.corrected]", () => {
  for (const [rule, later] of [
    [
      "CSS custom properties are always prefixed --nova-.",
      "Use logical properties instead of left/right in any css.",
    ],
    ["Never use inline styles.", "In email templates inline styles are fine, mail clients need them."],
    ["Buttons always have corners of 8px.", "Cards always have corners of 16px."],
    ["Always use port 8080 for the dev server.", "the dev server on port 8080 crashed again"],
  ] as const)
    assert.ok(kept(rule, later).includes(rule), later);
});

test("a value that is corrected after a pause or in the middle is left out [pins.corrected]", () => {
  for (const [said, now, old] of [
    [
      "page me in #sre, no scratch that, #payments whenever you restart something",
      "#payments whenever",
      "#sre",
    ],
    ["Tables always have three decimals, or better two decimals, throughout.", "two decimals", "three"],
    ["replicas for anything stateful: always 3.. no 5, quorum needs it", "5, quorum needs it", "always 3"],
    [
      "Always link by its short name, sorry, by its full canonical name.",
      "by its full canonical name",
      "short",
    ],
  ] as const) {
    const text = kept(said).join("\n");
    assert.ok(text.includes(now) && !text.includes(old), text);
  }
});

test("a regret, in many words and tongues, takes back what was just said if it is said anew [pins.corrected]", () => {
  for (const [said, now, old] of [
    [
      "Backups are kept for 20 days. Erratum: the contract says 45 days, so keep backups for that long.",
      "45 days",
      "20 days",
    ],
    ["Logs rotate after 5 days. Negative, hold up, audit needs more. 60 days on logs.", "60 days", "5 days"],
    [
      "Icons come from feather. Haha no, sorry, I retired that set. Icons come from lucide.",
      "lucide",
      "feather",
    ],
    ["Margins are 12px. Oh dear, I was quoting the old project. Margins are 16px here.", "16px", "12px"],
    [
      "Figures cover 1971-2000. I must correct this: figures cover 1991-2020 from this report on.",
      "1991-2020",
      "1971-2000",
    ],
    [
      "please set the session limit at forty minutes, or rather, and forgive me, I have opened the policy, it is fifteen minutes",
      "fifteen minutes",
      "forty",
    ],
  ] as const) {
    const text = kept(said).join("\n");
    assert.ok(text.includes(now) && !text.includes(old), `${said}\n→ ${text}`);
  }
  const rule = "Always run the linter before a commit.";
  assert.ok(kept(`${rule} Sorry, I forgot to say so. Run the tests as well.`).includes(rule));
});

test("a number of another kind takes no rule's place [pins.corrected]", () => {
  const memory = "the bot has to stay under 300mb of ram";
  assert.ok(kept(memory, "never restart the bot between 4pm and 9pm").includes(memory));
});

test("a rule in a part of a long sentence, behind a picture or an abbreviation is whole [pins.found]", () => {
  const long = `I looked at the leavers' script, which ${"missed two accounts and ".repeat(8)}was slow; accounts are disabled, never deleted; could you have a look?`;
  assert.ok(ownSentences(long).includes("accounts are disabled, never deleted;"));
  assert.deepEqual(ownSentences("Eight steps at most 📉 Which could go?"), [
    "Eight steps at most 📉",
    "Which could go?",
  ]);
  assert.deepEqual(ownSentences("Amounts are shown as Rs. with two decimals."), [
    "Amounts are shown as Rs. with two decimals.",
  ]);
  assert.deepEqual(ownSentences("Can you move it at the same time ? After that I go."), [
    "Can you move it at the same time ?",
    "After that I go.",
  ]);
});
