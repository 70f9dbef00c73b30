import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../src/index.ts";
import { seededRandom } from "../measure.ts";
import { pick } from "./filler.ts";

/** How well a search finds the one fact that answers a question. */
export interface RetrievalScore {
  name: string;
  /** By how the question is put. */
  asked: Record<Manner, { questions: number; first: number; firstFive: number }>;
}

/** The words of the fact; other words for what is asked; a description that names the thing by its role alone. */
const manners = ["same words", "other words", "described"] as const;
type Manner = (typeof manners)[number];

interface LabelledFact {
  text: string;
  questions: Record<Manner, string>;
}

const places = ["orion", "lyra", "vega", "cetus", "draco", "norma", "pavo", "volans", "carina", "mensa"];

/** A part as a fact names it, and as someone describes it who does not know its name. */
const parts: readonly [name: string, described: string][] = [
  ["gateway", "the entry point for clients"],
  ["scheduler", "what decides when jobs start"],
  ["importer", "what takes in files from outside"],
  ["ledger", "the book of payments"],
  ["mailer", "what sends messages to customers"],
  ["indexer", "what prepares texts for search"],
];

/** What is said of a part, the same as a question, and a question in other words. */
const relations: readonly [said: string, asked: string, reworded: string][] = [
  ["listens on port", "Which port is used for listening by", "What number do I connect to for"],
  [
    "is deployed by the pipeline",
    "Through which pipeline does one deploy",
    "How do new releases get out for",
  ],
  [
    "retries failed requests after",
    "When are requests retried that have failed in",
    "How long a pause before another attempt in",
  ],
  [
    "keeps its backups in the bucket",
    "In which bucket is the backup kept of",
    "Where would I restore a copy from for",
  ],
  ["is owned by the team", "Which team owns", "Who is responsible for"],
];

/**
 * Facts and questions of a seed: 300 facts; each place has a part of every kind, so most words occur often. Beside them
 * are distractors that share most words: an old value that no longer holds, and a name that differs in one letter.
 */
function labelledFacts(seed: number): { facts: LabelledFact[]; distractors: string[] } {
  const random = seededRandom(seed);
  const value = () => `${pick(random, ["red", "blue", "green"])}-${Math.floor(random() * 9_000) + 1_000}`;
  const facts: LabelledFact[] = [];
  const distractors: string[] = [];
  for (const place of places)
    for (const [part, described] of parts)
      for (const [said, asked, reworded] of relations) {
        facts.push({
          text: `The ${part} of ${place} ${said} ${value()}.`,
          questions: {
            "same words": `${asked} the ${place} ${part}?`,
            "other words": `${reworded} the ${place} ${part}?`,
            described: `${reworded} ${described} in ${place}?`,
          },
        });
        if (random() < 0.3)
          distractors.push(`Until last year the ${part} of ${place} used ${value()}; no longer.`);
        if (random() < 0.3) distractors.push(`The ${part} of ${place}x ${said} ${value()}.`);
      }
  return { facts, distractors };
}

/** Numbers of the facts that a search finds, best first. */
type Search = (question: string) => Promise<number[]>;

export async function measureRetrieval(seed: number): Promise<RetrievalScore[]> {
  const { facts, distractors } = labelledFacts(seed);
  const texts = [...facts.map(({ text }) => text), ...distractors];
  return [
    await scoreOf("Holdfast search_notes", facts, await holdfastSearch(texts)),
    await scoreOf("SQLite FTS5, porter", facts, fts5Search(texts)),
    await scoreOf("grep for the rarest word", facts, grepSearch(texts)),
  ];
}

async function scoreOf(
  name: string,
  facts: readonly LabelledFact[],
  search: Search,
): Promise<RetrievalScore> {
  const measure = async (manner: Manner) => {
    let first = 0;
    let firstFive = 0;
    for (const [number, { questions }] of facts.entries()) {
      const place = (await search(questions[manner])).indexOf(number);
      if (place === 0) first++;
      if (place !== -1 && place < 5) firstFive++;
    }
    const { length } = facts;
    return [manner, { questions: length, first: first / length, firstFive: firstFive / length }] as const;
  };
  const asked = [];
  for (const manner of manners) asked.push(await measure(manner));
  return { name, asked: Object.fromEntries(asked) as RetrievalScore["asked"] };
}

/** Notes that contain the query, and those that share its words. */
interface Found {
  notes: { content: string }[];
  similar?: { content: string }[];
}

async function holdfastSearch(texts: readonly string[]): Promise<Search> {
  const memory = await openMemory({ store: "memory:", surfaces: ["notes"] });
  const session = await memory.createSession();
  for (const content of texts) await session.call("add_note", { content });
  const numbers = new Map(texts.map((text, number) => [text, number]));
  return async (query) => {
    const answer = await session.call("search_notes", { query, limit: 5 });
    const { notes, similar = [] } = JSON.parse(answer.text) as Found;
    return [...notes, ...similar].flatMap(({ content }) => numbers.get(content) ?? []);
  };
}

function fts5Search(texts: readonly string[]): Search {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE fact USING fts5(content, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO fact (rowid, content) VALUES (?, ?)");
  texts.forEach((text, number) => void insert.run(number, text));
  const select = database.prepare("SELECT rowid FROM fact WHERE fact MATCH ? ORDER BY rank LIMIT 5");
  return async (question) => {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    return select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ rowid }) => Number(rowid));
  };
}

/** What an agent with files and grep does: the first matches of one word, in the order in which they were written. */
function grepSearch(texts: readonly string[]): Search {
  const lower = texts.map((text) => text.toLowerCase());
  return async (question) => {
    const words = question.toLowerCase().match(/\p{L}+/gu) ?? [];
    const matches = words
      .map((word) => lower.flatMap((text, number) => (text.includes(word) ? [number] : [])))
      .filter((found) => found.length > 0)
      .toSorted((a, b) => a.length - b.length);
    return (matches[0] ?? []).slice(0, 5);
  };
}
