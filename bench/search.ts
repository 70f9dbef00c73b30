import { rankPassages } from "../src/engine/rank.ts";
import { openMemory } from "../src/index.ts";
import { makeNotes } from "./fill.ts";
import { type Figure, median, time } from "./measure.ts";

/** `search_notes` in a session of ordinary size, and the ranking of a long conversation. */
export async function searchFigures(): Promise<Figure[]> {
  const { notes, words } = makeNotes(100_000);
  return [await notesFigure(notes.slice(0, 300), words), await rankFigure(notes, words)];
}

async function notesFigure(notes: string[], words: string[]): Promise<Figure> {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession();
  for (const content of notes) await session.notes.add(content);
  const times = await slowest(words, notes, (query) => session.call("search_notes", { query }));
  await memory.close();
  return {
    name: "search of 300 notes, slowest query",
    value: times,
    target: 5,
    limit: "max",
    unit: "ms",
    detail: "",
  };
}

async function rankFigure(notes: string[], words: string[]): Promise<Figure> {
  const passages: string[] = [];
  for (let at = 0, size = 0; size < 8_000_000; at = (at + 20) % notes.length) {
    const passage = notes.slice(at, at + 20).join("\n");
    passages.push(passage);
    size += passage.length;
  }
  return {
    name: "ranking of 8 MB of text, slowest query",
    value: await slowest(words, notes, async (query) => rankPassages(query, passages)),
    target: 300,
    limit: "max",
    unit: "ms",
    detail: `${passages.length} passages`,
  };
}

async function slowest(
  words: string[],
  notes: string[],
  search: (query: string) => Promise<unknown>,
): Promise<number> {
  const times: number[] = [];
  for (const query of queries(words, notes)) {
    const runs: number[] = [];
    for (let round = 0; round < 5; round++) runs.push(await time(() => search(query)));
    times.push(median(runs));
  }
  return Math.max(...times);
}

function queries(words: string[], notes: string[]): string[] {
  const phrase = (notes[57] ?? "").split(" ").slice(3, 9).join(" ");
  return [`${words[0]} ${words[1]}`, `${words[5_000]} ${words[38_000]}`, phrase, "令牌服务器", "ka", "zz"];
}
