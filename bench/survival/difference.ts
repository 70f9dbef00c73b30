/** The first line in which two texts differ, as both have it; undefined if they are the same. */
export function differenceOf(before: string, again: string): string | undefined {
  if (before === again) return undefined;
  const [first, second] = [before.split("\n"), again.split("\n")];
  const at = first.findIndex((line, index) => line !== second[index]);
  const line = at === -1 ? first.length : at;
  return `line ${line + 1}\n- ${first[line] ?? "(no line)"}\n+ ${second[line] ?? "(no line)"}`;
}
