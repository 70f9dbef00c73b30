import { estimateTokens } from "../../src/context/estimate-tokens.ts";
import { seededRandom } from "../measure.ts";
import { contextIn } from "./check.ts";
import type { Condition } from "./conditions.ts";
import { type Answers, type Grade, type Grades, readRecorded } from "./recorded.ts";
import { type AskedQuestion, questions, session } from "./stories.ts";
import { questionKinds } from "./story.ts";
import { depths, gradeId, graders, lettersFor, readConditions, readId, writtenFor } from "./tasks.ts";

/** The grades of one answer. */
interface Graded {
  question: AskedQuestion;
  grades: Grade[];
}

export interface Score {
  /** Of the recorded reading. */
  id: string;
  title: string;
  compactions: number;
  /** Share of the questions that are answered, mean of both graders. */
  answered: number;
  /** Between these, 95 of 100 draws of as many questions lie. */
  spread: readonly [low: number, high: number];
  byGrader: number[];
  byKind: Record<AskedQuestion["kind"], number>;
  byPart: Record<AskedQuestion["part"], number>;
  /** Answers that a grader calls false, at most of both. */
  wrong: number;
  /** Tokens of the context with what a tool returned. */
  tokens: number;
  /** Dollars for a compaction: what a model reads and writes for it, and the new context. */
  dollars: number;
}

/** Dollars per million tokens. A conversation that was just answered is in the provider's cache. */
const prices = { input: 3, cached: 0.3, output: 15 };

const points = (grade: Grade) => (grade === "w" ? 0 : grade);
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const pointsOf = (all: readonly Graded[]) => mean(all.map(({ grades }) => mean(grades.map(points))));

/** Every condition that is read and graded. */
export function scores(): Score[] {
  return depths.flatMap((depth) => {
    const read = readConditions(depth);
    const batches = graders.map((grader) => readRecorded<Grades>(gradeId(depth, grader))?.result);
    if (batches.includes(undefined)) return [];
    const ids = [...read.keys()].map(({ id }) => id);
    return [...read].map(([condition, answers]) => {
      const graded = questions.map((question) => ({
        question,
        grades: graders.map((grader, at) => {
          const letters = lettersFor(gradeId(depth, grader), question.id, ids);
          const letter = [...letters].find(([, id]) => id === condition.id)?.[0] ?? "";
          return gradeOf(answers, batches[at] ?? {}, question.id, letter);
        }),
      }));
      return scoreOf(condition, depth, graded);
    });
  });
}

function gradeOf(answers: Answers, batch: Grades, question: string, letter: string): Grade {
  if (!answers[question]) return 0;
  const grade = batch[question]?.[letter];
  if (grade === undefined)
    throw new Error(
      `Question ${question}: reader ${letter} has no grade. The gradings are of other answers: delete bench/resume/recorded/grade-*.json and grade again.`,
    );
  return grade;
}

const sessionTokens = estimateTokens(JSON.stringify(session));

function scoreOf(condition: Condition, depth: number, graded: readonly Graded[]): Score {
  const id = readId(condition, depth);
  const tokens = estimateTokens(contextIn(readRecorded(id)?.input ?? ""));
  const costs = condition.needs.map((kind) => {
    const texts = writtenFor(depth)[kind];
    const written = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    // The agent's own model has the conversation in its cache, and an observer has not.
    const read = sessionTokens * (kind === "observation" ? prices.input : prices.cached);
    return (read + written * prices.output) / texts.length;
  });
  const by = <K extends string>(keys: readonly K[], of: (question: AskedQuestion) => K) =>
    Object.fromEntries(
      keys.map((key) => [key, pointsOf(graded.filter(({ question }) => of(question) === key))]),
    ) as Record<K, number>;
  const wrong = graders.map((_, at) => graded.filter(({ grades }) => grades[at] === "w").length);
  return {
    id,
    title: condition.title,
    compactions: depth,
    answered: pointsOf(graded),
    spread: spreadOf(graded),
    byGrader: graders.map((_, at) => mean(graded.map(({ grades }) => points(grades[at] ?? 0)))),
    byKind: by(questionKinds, ({ kind }) => kind),
    byPart: by(["first", "middle", "last"], ({ part }) => part),
    wrong: Math.max(...wrong),
    tokens,
    dollars: (costs.reduce((sum, cost) => sum + cost, 0) + tokens * prices.input) / 1e6,
  };
}

const draws = 2_000;

/** Bootstrap over the questions. */
function spreadOf(graded: readonly Graded[]): [number, number] {
  const random = seededRandom(1);
  const each = graded.map(({ grades }) => mean(grades.map(points)));
  const means = Array.from({ length: draws }, () =>
    mean(each.map(() => each[Math.floor(random() * each.length)] as number)),
  ).sort((a, b) => a - b);
  return [means[Math.floor(draws * 0.025)] ?? 0, means[Math.floor(draws * 0.975)] ?? 0];
}
