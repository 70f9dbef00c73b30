import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../src/index.ts";
import { seededRandom } from "../measure.ts";
import { pick } from "./filler.ts";

/** How well a search finds the one fact that answers a question. */
export interface RetrievalScore {
  name: string;
  questions: number;
  /** Shares of the questions whose fact is the first, or among the first five. */
  first: number;
  firstFive: number;
}

interface LabelledFact {
  text: string;
  question: string;
}

const places = ["orion", "lyra", "vega", "cetus", "draco", "norma", "pavo", "volans", "carina", "mensa"];
const parts = ["gateway", "scheduler", "importer", "ledger", "mailer", "indexer"];

/** What is said of a part, and how one asks for it in other words. */
const relations: readonly [said: string, asked: string][] = [
  ["listens on port", "Which port is used for listening by"],
  ["is deployed by the pipeline", "Through which pipeline does one deploy"],
  ["retries failed requests after", "When are requests retried that have failed in"],
  ["keeps its backups in the bucket", "In which bucket is the backup kept of"],
  ["is owned by the team", "Which team owns"],
];

/** Facts and questions of a seed: 300 facts, and each place has a part of every kind, so most words occur often. */
function labelledFacts(seed: number): LabelledFact[] {
  const random = seededRandom(seed);
  return places.flatMap((place) =>
    parts.flatMap((part) =>
      relations.map(([said, asked]) => ({
        text: `The ${part} of ${place} ${said} ${pick(random, ["red", "blue", "green"])}-${Math.floor(random() * 9_000) + 1_000}.`,
        question: `${asked} the ${place} ${part}?`,
      })),
    ),
  );
}

/** Numbers of the facts that a search finds, best first. */
type Search = (question: string) => Promise<number[]>;

export async function measureRetrieval(seed: number): Promise<RetrievalScore[]> {
  const facts = labelledFacts(seed);
  return [
    await scoreOf("Holdfast search_notes", facts, await holdfastSearch(facts)),
    await scoreOf("SQLite FTS5, porter", facts, fts5Search(facts)),
    await scoreOf("grep for the longest word", facts, grepSearch(facts)),
  ];
}

async function scoreOf(
  name: string,
  facts: readonly LabelledFact[],
  search: Search,
): Promise<RetrievalScore> {
  let first = 0;
  let firstFive = 0;
  for (const [number, { question }] of facts.entries()) {
    const place = (await search(question)).indexOf(number);
    if (place === 0) first++;
    if (place !== -1 && place < 5) firstFive++;
  }
  return { name, questions: facts.length, first: first / facts.length, firstFive: firstFive / facts.length };
}

/** Notes that contain the query, and those that share its words. */
interface Found {
  notes: { content: string }[];
  similar?: { content: string }[];
}

async function holdfastSearch(facts: readonly LabelledFact[]): Promise<Search> {
  const memory = await openMemory({ store: "memory:", surfaces: ["notes"] });
  const session = await memory.createSession();
  for (const { text } of facts) await session.call("add_note", { content: text });
  const numbers = new Map(facts.map(({ text }, number) => [text, number]));
  return async (query) => {
    const answer = await session.call("search_notes", { query, limit: 5 });
    const { notes, similar = [] } = JSON.parse(answer.text) as Found;
    return [...notes, ...similar].flatMap(({ content }) => numbers.get(content) ?? []);
  };
}

function fts5Search(facts: readonly LabelledFact[]): Search {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE fact USING fts5(content, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO fact (rowid, content) VALUES (?, ?)");
  facts.forEach(({ text }, number) => void insert.run(number, text));
  const select = database.prepare("SELECT rowid FROM fact WHERE fact MATCH ? ORDER BY rank LIMIT 5");
  return async (question) => {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    return select.all(words.map((word) => `"${word}"`).join(" OR ")).map(({ rowid }) => Number(rowid));
  };
}

/** What an agent with files and grep does: the first matches in the order in which they were written. */
function grepSearch(facts: readonly LabelledFact[]): Search {
  return async (question) => {
    const words = question.toLowerCase().match(/\p{L}+/gu) ?? [];
    const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
    return facts
      .flatMap(({ text }, number) => (text.toLowerCase().includes(longest) ? [number] : []))
      .slice(0, 5);
  };
}
