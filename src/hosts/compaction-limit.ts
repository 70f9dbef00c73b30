/**
 * A host that compacts when less than this many tokens of the window are left. In a window that is smaller than twice
 * the reserve, which only trials have, it compacts when half of it is used.
 */
export function reserving(tokens: number): (contextWindow: number) => number {
  return (contextWindow) => Math.max(contextWindow - tokens, contextWindow / 2);
}
