/** The summary alone. The handoff and the receipt follow it in the same message. */
export function summaryText(whole: string): string {
  const opening = whole.indexOf("[Summary");
  const start = opening === -1 ? -1 : whole.indexOf("]\n", opening);
  const end = start === -1 ? -1 : whole.indexOf("\n[End of summary]", start + 1);
  return end === -1 ? whole : whole.slice(Math.min(start + 2, end), end);
}
