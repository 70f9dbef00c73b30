/** One promised behavior. Tests cite it by `[id]` in their names; an uncited id fails the run. */
export interface Requirement {
  id: string;
  source: string;
  sentence: string;
}

export function from(source: string, sentences: Record<string, string>): Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, source, sentence }));
}
