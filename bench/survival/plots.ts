import type { Fact } from "./facts.ts";
import { pick, pickSome, type Random } from "./filler.ts";
import { type StoryKind, type StoryTurn, storyKinds } from "./story.ts";

/** The additions of a kind of story to the filler: turns with facts, and how many epochs later they come. */
export interface Plot {
  facts: Fact[];
  scenes: Scene[];
}

export interface Scene extends Partial<StoryTurn> {
  user: string;
  answer: string;
  /** 0: in the first epoch. 1: in the second, if there is one. */
  epoch: 0 | 1;
}

const services = ["orion", "lyra", "vega", "cetus", "draco", "norma", "pavo", "volans"];
const people = ["Dana", "Ravi", "Mette", "Tomas", "Ayumi"];

const port = (random: Random) => String(7_000 + Math.floor(random() * 2_900));
const clock = (random: Random) => `0${1 + Math.floor(random() * 8)}:${10 + Math.floor(random() * 49)}`;

export const plots: Record<StoryKind, (random: Random) => Plot> = {
  /** Three rules, each said in passing. */
  rule(random) {
    const [first = "", second = "", third = ""] = pickSome(random, services, 3);
    const time = clock(random);
    const person = pick(random, people);
    return {
      facts: [
        { id: "rule-1", subject: `svc-${first}`, relation: ["never"], value: time },
        { id: "rule-2", subject: `vendor/${second}`, relation: ["do not", "don't", "never"], value: person },
        { id: "rule-3", subject: `web/${third}`, relation: ["always"], value: "pnpm" },
      ],
      scenes: [
        {
          epoch: 0,
          user: `The part is old. By the way, never restart svc-${first} before ${time}, the nightly export runs then. Keep it short.`,
          answer: "Understood.",
          note: `Rule: never restart svc-${first} before ${time}.`,
        },
        {
          epoch: 0,
          user: `And do not change vendor/${second} without asking ${person}.`,
          answer: "Understood.",
          note: `Rule: do not change vendor/${second} without asking ${person}.`,
        },
        {
          epoch: 0,
          user: `In web/${third} always use pnpm.`,
          answer: "Understood.",
          note: `Rule: in web/${third} always use pnpm.`,
        },
      ],
    };
  },

  /** Two values that change: one soon, one after a compaction. */
  override(random) {
    const [first = "", second = ""] = pickSome(random, services, 2);
    const [a, b] = [port(random), `9${port(random).slice(1)}`];
    const [c, d] = [`${20 + Math.floor(random() * 30)} seconds`, `${60 + Math.floor(random() * 30)} seconds`];
    return {
      facts: [
        { id: "override-1", subject: `svc-${first}`, relation: ["port"], value: b, old: [a] },
        { id: "override-2", subject: `svc-${second}`, relation: ["deadline"], value: d, old: [c] },
      ],
      scenes: [
        {
          epoch: 0,
          user: `The port of svc-${first} is ${a}.`,
          answer: "Noted.",
          note: `The port of svc-${first} is ${a}.`,
        },
        {
          epoch: 0,
          user: `The deadline of svc-${second} is ${c}.`,
          answer: "Noted.",
          note: `The deadline of svc-${second} is ${c}.`,
        },
        {
          epoch: 0,
          user: `Correction: the port of svc-${first} is ${b}.`,
          answer: "Noted.",
          note: `The port of svc-${first} is ${b}.`,
        },
        {
          epoch: 1,
          user: `Correction: the deadline of svc-${second} is ${d}.`,
          answer: "Noted.",
          note: `The deadline of svc-${second} is ${d}.`,
        },
      ],
    };
  },

  /** Four names that differ in one letter; two told by the user, two found in an output. */
  entities(random) {
    const stem = pick(random, services);
    const names = ["a", "b", "c", "d"].map((letter) => `${stem}-ap${letter}`);
    const ports = names.map((_, index) => String(Number(port(random)) + index * 10_000));
    const fact = (index: number): Fact => ({
      id: `entity-${index + 1}`,
      subject: names[index] ?? "",
      relation: ["port"],
      value: ports[index] ?? "",
      rivals: names.filter((_, other) => other !== index),
    });
    const said = (index: number) => `${names[index]} has port ${ports[index]}`;
    return {
      facts: [0, 1, 2, 3].map(fact),
      scenes: [
        {
          epoch: 0,
          user: `For later: ${said(0)}, and ${said(1)}.`,
          answer: "Noted.",
          note: `${said(0)}\n${said(1)}`,
        },
        {
          epoch: 0,
          user: "Look up the other two.",
          steps: [
            {
              tool: "run_command",
              input: { command: `inventory list ${stem}` },
              result: `${said(2)}\n${said(3)}\nexit code 0`,
            },
          ],
          answer: "I have looked them up.",
          note: `${said(2)}\n${said(3)}`,
        },
      ],
    };
  },

  /** Five pieces of work: two get done, one is cancelled, two stay open. */
  plan(random) {
    const [a = "", b = "", c = "", d = "", e = ""] = pickSome(random, services, 5);
    const items = [
      `rotate the ${a} key`,
      `split the ${b} table`,
      `move the ${c} bucket`,
      `rename the ${d} role`,
      `archive the ${e} feed`,
    ];
    const [one = "", two = "", three = "", four = "", five = ""] = items;
    const work = (subject: string, status: NonNullable<Fact["status"]>): Fact => ({
      id: `plan-${items.indexOf(subject) + 1}`,
      subject,
      relation: [],
      value: subject,
      status,
    });
    return {
      facts: [
        work(one, "done"),
        work(two, "done"),
        work(three, "cancelled"),
        work(four, "open"),
        work(five, "open"),
      ],
      scenes: [
        {
          epoch: 0,
          user: `Besides, please do these in the course of the day:\n${items.map((item) => `- [ ] ${item}`).join("\n")}`,
          answer: "I will do them one by one.",
          note: items.map((item) => `- [ ] ${item}`).join("\n"),
        },
        {
          epoch: 0,
          user: `Start with the first of the list.`,
          steps: [
            { tool: "run_command", input: { command: `ops ${one}` }, result: `done: ${one}\nexit code 0` },
          ],
          answer: `Done: ${one}.`,
          note: `- [x] ${one}`,
        },
        {
          epoch: 1,
          user: `I have cancelled one: ${three} is cancelled.`,
          answer: "I leave it out.",
          note: `cancelled: ${three}`,
        },
        {
          epoch: 1,
          user: "Go on with the second of the list.",
          steps: [
            { tool: "run_command", input: { command: `ops ${two}` }, result: `done: ${two}\nexit code 0` },
          ],
          answer: `Done: ${two}.`,
          note: `- [x] ${two}`,
        },
      ],
    };
  },

  /** Two commands with their exact flags and outcome. */
  command(random) {
    const [a = "", b = ""] = pickSome(random, services, 2);
    const number = Math.floor(random() * 9_000) + 1_000;
    const first = `./gradlew :${a}:check --tests '${a}.RetryTest' -Pseed=${number} --no-daemon`;
    const second = `pg_restore --jobs=3 --schema=${b}_${number} --no-owner -d staging dumps/${b}.dump`;
    return {
      facts: [
        {
          id: "command-1",
          subject: `:${a}:check`,
          relation: ["exit code 0", "passed", "succeeded", "ok"],
          value: first,
        },
        {
          id: "command-2",
          subject: `dumps/${b}.dump`,
          relation: ["exit code 1", "failed", "error"],
          value: second,
        },
      ],
      scenes: [
        {
          epoch: 0,
          user: `Find out how to run the retry tests of ${a}.`,
          steps: [{ tool: "run_command", input: { command: first }, result: "12 tests passed\nexit code 0" }],
          answer: "The tests pass.",
          note: `exit code 0: ${first}`,
        },
        {
          epoch: 0,
          user: `Try to restore the dump of ${b}.`,
          steps: [
            {
              tool: "run_command",
              input: { command: second },
              result: "pg_restore: error: role owner_7 is missing\nexit code 1",
            },
          ],
          answer: "The restore fails.",
          note: `failed, exit code 1: ${second}`,
        },
      ],
    };
  },

  /** Two sub-agents: one reports, one still runs. */
  "sub-agent"(random) {
    const [a = "", b = ""] = pickSome(random, services, 2);
    const [first, second] = [0, 1].map(
      () =>
        `ag-${Math.floor(random() * 0xffff)
          .toString(16)
          .padStart(4, "0")}`,
    );
    const [one, two] = [`audit the ${a} invoices`, `index the ${b} mail`];
    const started = (id = "", task = "") => ({
      tool: "start_agent" as const,
      input: { task },
      result: `agent ${id} started, running: ${task}`,
    });
    return {
      facts: [
        { id: "agent-1", subject: first ?? "", relation: ["running", "started"], value: one },
        { id: "agent-2", subject: two, relation: [], value: two, status: "done" },
      ],
      scenes: [
        {
          epoch: 0,
          user: `Let a helper ${one}.`,
          steps: [started(first, one)],
          answer: "A helper works on it.",
          note: `agent ${first} is running: ${one}`,
        },
        {
          epoch: 0,
          user: `Let another one ${two}.`,
          steps: [started(second, two)],
          answer: "Another one works on that.",
          note: `agent ${second} is running: ${two}`,
        },
        {
          epoch: 1,
          user: "Has the second one reported?",
          steps: [
            {
              tool: "check_agent",
              input: { agent: second ?? "" },
              result: `agent ${second} has finished: ${two} is done, 412 messages`,
            },
          ],
          answer: `It has: ${two} is done.`,
          note: `agent ${second} has finished: ${two} is done`,
        },
      ],
    };
  },

  /** A person corrects what the agent was told, from outside the conversation. */
  edit(random) {
    const [a = "", b = ""] = pickSome(random, services, 2);
    const days = 100 + Math.floor(random() * 300);
    const person = pick(random, people);
    return {
      facts: [
        {
          id: "edit-1",
          subject: `${a}_log`,
          relation: ["retention"],
          value: `${days} days`,
          old: ["30 days"],
        },
        { id: "edit-2", subject: `team-${b}`, relation: ["contact"], value: person },
      ],
      scenes: [
        {
          epoch: 0,
          user: `The retention of ${a}_log is 30 days.`,
          answer: "Noted.",
          note: `The retention of ${a}_log is 30 days.`,
        },
        {
          epoch: 0,
          isEdit: true,
          user: `The retention of ${a}_log is ${days} days. The contact of team-${b} is ${person}.`,
          answer: "Noted.",
        },
      ],
    };
  },

  /** A request whose work goes on through every compaction. */
  "long ask"(random) {
    const [a = "", b = ""] = pickSome(random, services, 2);
    const number = 100 + Math.floor(random() * 900);
    const table = `reports/${a}-${number}.csv`;
    const said = `Read every part and write the longest functions of each to ${table}, sorted by the column ${b}_lines.`;
    return {
      facts: [
        { id: "ask-1", subject: "longest functions", relation: ["write"], value: table },
        { id: "ask-2", subject: table, relation: ["sorted"], value: `${b}_lines` },
      ],
      scenes: [{ epoch: 0, user: said, answer: "The table is written.", note: said }],
    };
  },
};

/** The first request of the long ask fills a whole story, so it cannot be told together with others. */
const together = storyKinds.filter((kind) => kind !== "long ask");

/** The facts of all stories in one conversation: the first scene of each in one turn, and so on. */
export function everyPlot(random: Random): Plot {
  const told = together.map((kind) => plots[kind](random));
  const length = Math.max(...told.map(({ scenes }) => scenes.length));
  const edits = told.flatMap(({ scenes }) => scenes.filter(({ isEdit }) => isEdit));
  const merged = Array.from({ length }, (_, index) =>
    mergeScenes(told.flatMap(({ scenes }) => scenes[index] ?? []).filter(({ isEdit }) => !isEdit)),
  );
  return { facts: told.flatMap(({ facts }) => facts), scenes: [...merged, ...edits] };
}

function mergeScenes(scenes: readonly Scene[]): Scene {
  return {
    epoch: 0,
    user: scenes.map(({ user }) => user).join("\n"),
    steps: scenes.flatMap(({ steps = [] }) => steps),
    answer: scenes.map(({ answer }) => answer).join(" "),
    note: scenes.flatMap(({ note = [] }) => note).join("\n"),
  };
}
