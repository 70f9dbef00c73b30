import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { rankPassages } from "../src/engine/rank.ts";

/**
 * Measures the quality of the ranked search: labelled questions over short facts, each stored as a note.
 * `node bench/search-quality.ts [FILE]`, where FILE is core_memory_update.jsonl of letta-evals.
 */
const path =
  process.argv[2] ?? join(import.meta.dirname, "../../shared/data/letta-evals/core_memory_update.jsonl");

interface Question {
  text: string;
  /** Indexes of the facts that answer it. */
  supporting: Set<number>;
}

type Search = (question: string) => number[];

if (!existsSync(path)) {
  console.log(
    `search quality: ${path} is missing; nothing to measure. Pass the path of core_memory_update.jsonl.`,
  );
} else {
  const { facts, questions } = readQuestions(readFileSync(path, "utf8"));
  console.log(`search quality: ${questions.length} questions over ${facts.length} facts`);
  report("Holdfast", measure(holdfastSearch(facts), questions));
  report("FTS5 porter", measure(fts5Search(facts), questions));
}

function readQuestions(text: string): { facts: string[]; questions: Question[] } {
  const indexes = new Map<string, number>();
  const indexOf = (fact: string) => {
    if (!indexes.has(fact)) indexes.set(fact, indexes.size);
    return indexes.get(fact) as number;
  };
  const questions = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Question => {
      const { input, agent_args } = JSON.parse(line);
      const { facts, supporting_fact_indices } = agent_args.extra as {
        facts: string[];
        supporting_fact_indices: number[];
      };
      const numbers = facts.map(indexOf);
      return {
        text: input,
        supporting: new Set(supporting_fact_indices.map((index) => numbers[index] as number)),
      };
    });
  return { facts: [...indexes.keys()], questions };
}

function holdfastSearch(facts: string[]): Search {
  return (query) =>
    rankPassages(query, facts)
      .slice(0, 10)
      .map(({ index }) => index);
}

function fts5Search(facts: string[]): Search {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE fact USING fts5(content, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO fact (rowid, content) VALUES (?, ?)");
  facts.forEach((fact, number) => void insert.run(number, fact));
  const select = database.prepare("SELECT rowid FROM fact WHERE fact MATCH ? ORDER BY rank LIMIT 10");
  return (question) => {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    return select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ rowid }) => Number(rowid));
  };
}

function measure(
  search: Search,
  questions: Question[],
): { recall: number; reciprocalRank: number; milliseconds: number } {
  let recall = 0;
  let reciprocalRank = 0;
  const start = performance.now();
  for (const { text, supporting } of questions) {
    const found = search(text);
    recall += found.slice(0, 5).filter((number) => supporting.has(number)).length / supporting.size;
    const first = found.findIndex((number) => supporting.has(number));
    reciprocalRank += first === -1 ? 0 : 1 / (first + 1);
  }
  const milliseconds = (performance.now() - start) / questions.length;
  return {
    recall: recall / questions.length,
    reciprocalRank: reciprocalRank / questions.length,
    milliseconds,
  };
}

function report(name: string, { recall, reciprocalRank, milliseconds }: ReturnType<typeof measure>): void {
  const share = `${(100 * recall).toFixed(1)} %`;
  console.log(
    `  ${name.padEnd(12)} R@5 ${share.padStart(7)}   MRR@10 ${reciprocalRank.toFixed(3)}   ${milliseconds.toFixed(2)} ms per question`,
  );
}
