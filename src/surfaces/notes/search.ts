import { searchPassages } from "../../engine/rank.ts";
import { foldCase, type Note } from "./operations.ts";

export interface NoteQuery {
  query: string;
  /** A note must have all of them; case-insensitive. */
  tags: readonly string[];
  limit: number;
  offset: number;
}

export interface NoteMatches {
  /** How many notes match in total. */
  total: number;
  notes: Note[];
  /** False: the notes contain the query. True: none does, and these share its words, best first. */
  ranked: boolean;
}

/** Notes by position of the match, then in the order given: newest first. */
export function searchNotes(notes: readonly Note[], { query, tags, limit, offset }: NoteQuery): NoteMatches {
  const wanted = tags.map(foldCase);
  const tagged = notes.filter((note) => {
    const has = note.tags.map(foldCase);
    return wanted.every((tag) => has.includes(tag));
  });
  const { indexes, isRanked } = searchPassages(
    query,
    tagged.map(({ content }) => content),
  );
  const page = indexes.slice(offset, offset + limit).flatMap((index) => tagged[index] ?? []);
  return { total: indexes.length, notes: page, ranked: isRanked && query !== "" };
}
