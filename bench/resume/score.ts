import { estimateTokens } from "../../src/context/estimate-tokens.ts";
import { median, seededRandom } from "../measure.ts";
import { type Answers, type Grade, type Grades, readRecorded } from "./recorded.ts";
import { stories } from "./stories.ts";
import { type Question, questionKinds } from "./story.ts";
import {
  type AnyCondition,
  conditionsAt,
  depths,
  graders,
  isUnknown,
  lettersFor,
  madeContexts,
  readId,
  writtenFor,
} from "./tasks.ts";

/** The grades of one answer. */
interface Graded {
  question: Question;
  grades: Grade[];
}

export interface Score {
  condition: string;
  title: string;
  compactions: number;
  /** Share of the questions that are answered, mean of both graders. */
  answered: number;
  /** Between these, 95 of 100 draws of as many questions lie. */
  spread: readonly [low: number, high: number];
  byGrader: number[];
  byKind: Record<Question["kind"], number>;
  byThird: number[];
  /** Answers that a grader calls false, at most of both. */
  wrong: number;
  /** Tokens of the context, median of the stories. */
  tokens: number;
  /** Tokens that a model wrote for it at each compaction. */
  writtenTokens: number;
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
export async function scores(): Promise<Score[]> {
  const found: Score[] = [];
  for (const depth of depths)
    for (const condition of conditionsAt(depth)) {
      const graded = gradesOf(condition, depth);
      if (graded) found.push(await scoreOf(condition, depth, graded));
    }
  return found;
}

async function scoreOf(condition: AnyCondition, depth: number, graded: readonly Graded[]): Promise<Score> {
  const written = condition.needs.flatMap((kind) => stories.map(({ id }) => writtenFor(id, depth)[kind]));
  const writtenTokens =
    condition.needs.length === 0 ? 0 : mean(written.flat().map(estimateTokens)) * condition.needs.length;
  const tokens = median(Object.values(await madeContexts(condition, depth)).map(estimateTokens));
  const conversation = median(stories.map(({ steps }) => estimateTokens(JSON.stringify(steps)))) / depth;
  const read = conversation * prices.cached * condition.needs.length;
  const wrong = graders.map((_, at) => graded.filter(({ grades }) => grades[at] === "w").length);
  return {
    condition: condition.id,
    title: condition.title,
    compactions: depth,
    answered: pointsOf(graded),
    spread: spreadOf(graded),
    byGrader: graders.map((_, at) => mean(graded.map(({ grades }) => points(grades[at] ?? 0)))),
    byKind: Object.fromEntries(
      questionKinds.map((kind) => [kind, pointsOf(graded.filter(({ question }) => question.kind === kind))]),
    ) as Score["byKind"],
    byThird: [1, 2, 3].map((third) => pointsOf(graded.filter(({ question }) => question.third === third))),
    wrong: Math.max(...wrong),
    tokens,
    writtenTokens: Math.round(writtenTokens),
    dollars: (read + writtenTokens * prices.output + tokens * prices.input) / 1e6,
  };
}

/** All graded answers of a condition; undefined if it was not read, or not by all graders. */
function gradesOf(condition: AnyCondition, depth: number): Graded[] | undefined {
  const answers = readRecorded<Record<string, string>>(readId(condition, depth))?.results;
  const batches = graders.map((grader) => readRecorded<Grades[string]>(`grade-d${depth}-${grader}`)?.results);
  if (!answers || batches.includes(undefined)) return undefined;
  const ids = conditionsAt(depth)
    .filter((each) => readRecorded(readId(each, depth)))
    .map(({ id }) => id);
  return stories.flatMap((story) =>
    story.questions.map((question) => ({
      question,
      grades: graders.map((grader, at) =>
        gradeOf(answers, batches[at], {
          story: story.id,
          question: question.id,
          letter: letterOf(`grade-d${depth}-${grader}`, story.id, ids, condition.id),
        }),
      ),
    })),
  );
}

function letterOf(batch: string, story: string, ids: readonly string[], condition: string): string {
  for (const [letter, id] of lettersFor(batch, story, ids)) if (id === condition) return letter;
  throw new Error(`${batch} has no letter for ${condition}.`);
}

function gradeOf(
  answers: Answers,
  batch: Record<string, Grades[string]> | undefined,
  { story, question, letter }: { story: string; question: string; letter: string },
): Grade {
  if (isUnknown(answers[story]?.[question])) return 0;
  const grade = batch?.[story]?.[question]?.[letter];
  if (grade === undefined) throw new Error(`${story}, question ${question}: reader ${letter} has no grade.`);
  return grade;
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
