/** The parts of a context window, in prompt order; with the same names and colours everywhere. */
export const parts = ["tools", "system", "memory", "summaries", "history", "results"] as const;
export type Part = (typeof parts)[number];

export const partNames: Record<Part | "free", string> = {
  tools: "Tools",
  system: "System",
  memory: "Memory",
  summaries: "Summaries",
  history: "History",
  results: "Results",
  free: "Free",
};
