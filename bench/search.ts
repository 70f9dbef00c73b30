import { openMemory } from "../src/index.ts";
import { NoteIndex } from "../src/surfaces/notes/note-index.ts";
import { makeNotes } from "./fill.ts";
import { compare, type Figure, median, time } from "./measure.ts";

interface ScannedNote {
  content: string;
  updated: number;
}

/** `search_notes` in a large session, compared with the scan that the seed describes. */
export async function searchFigures(): Promise<Figure[]> {
  const { notes, words } = makeNotes(100_000);
  const scanned = notes.map((content, updated): ScannedNote => ({ content, updated }));
  const index = indexOf(notes);
  while (index.needsIndex) index.indexSome(5_000);

  const speedUps: number[] = [];
  const lines: string[] = [];
  for (const [kind, query] of queries(words, notes)) {
    const search = () => index.search({ query, tags: [], limit: 50, offset: 0 });
    const { ratio } = await compare(() => scan(scanned, query), search, { rounds: 5, warmUp: 1 });
    speedUps.push(ratio);
    lines.push(
      `     ${kind.padEnd(14)} ${JSON.stringify(query).padEnd(36)} ${String(search().total).padStart(7)} hits  ${ratio.toFixed(1).padStart(8)}×`,
    );
  }
  for (const line of lines) console.log(line);
  return [
    {
      name: "search of 100,000 notes, median: scan / search",
      value: median(speedUps),
      target: 10,
      limit: "min",
      unit: "×",
      detail: `${speedUps.length} queries`,
    },
    {
      name: "search of 100,000 notes, slowest: search / scan",
      value: 1 / Math.min(...speedUps),
      target: 1.2,
      limit: "max",
      unit: "×",
      detail: "",
    },
    await smallFigure(notes.slice(0, 300), words),
  ];
}

async function smallFigure(notes: string[], words: string[]): Promise<Figure> {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession();
  for (const content of notes) await session.notes.add(content);
  const times: number[] = [];
  for (const [, query] of queries(words, notes)) {
    const runs: number[] = [];
    for (let round = 0; round < 21; round++)
      runs.push(await time(() => session.call("search_notes", { query })));
    times.push(median(runs));
  }
  await memory.close();
  return {
    name: "search of 300 notes, slowest query",
    value: Math.max(...times),
    target: 1,
    limit: "max",
    unit: "ms",
    detail: `${times.length} queries`,
  };
}

function queries(words: string[], notes: string[]): [kind: string, query: string][] {
  const phrase = (note: number) => (notes[note] ?? "").split(" ").slice(3, 5).join(" ");
  return [
    ...[0, 1, 5].map((rank): [string, string] => ["common word", words[rank] as string]),
    ...[5_000, 20_000, 30_000, 38_000, 39_000].map((rank): [string, string] => [
      "rare word",
      words[rank] as string,
    ]),
    ...[1, 57, 299].map((note): [string, string] => ["phrase", phrase(note)]),
    ["common phrase", `${words[0]} ${words[1]}`],
    ...["数据", "错误会话", "压缩", "令牌服务器"].map((query): [string, string] => ["CJK", query]),
    ...["ka", "qu", "is", "zz"].map((query): [string, string] => ["two characters", query]),
    ["inside a word", (words[25_000] as string).slice(1)],
    ["misspelt", `${(words[30_000] as string).slice(0, -1)}x`],
    ["mixed case", (words[20_000] as string).toUpperCase()],
  ];
}

function indexOf(notes: string[]): NoteIndex {
  const index = new NoteIndex();
  notes.forEach((content, number) => {
    index.set(`note_${number}`, { content, tags: [], createdAt: number, updatedAt: number, updated: number });
  });
  return index;
}

/** The seed's search: scans every note case-insensitively and sorts by match position, then recency. */
function scan(notes: readonly ScannedNote[], query: string): ScannedNote[] {
  const needle = query.toLowerCase();
  const found: { note: ScannedNote; at: number }[] = [];
  for (const note of notes) {
    const at = note.content.toLowerCase().indexOf(needle);
    if (at !== -1) found.push({ note, at });
  }
  return found.sort((a, b) => a.at - b.at || b.note.updated - a.note.updated).map(({ note }) => note);
}
