/** What a tool result is: each kind is worth clearing from another size on. */
export type ResultKind = "search" | "file" | "tree" | "json" | "test" | "other";

const commands: [kind: ResultKind, pattern: RegExp][] = [
  [
    "test",
    /\b(?:(?:npm|pnpm|yarn|bun|cargo|go|dotnet|mvn|gradlew?) (?:run )?test|pytest|jest|vitest|mocha|rspec|phpunit|ctest|node --test)\b/,
  ],
  ["tree", /^\s*(?:tree\b|ls\s+-\w*R|find\s+\S+\s*(?:-type\s+\w\s*)?(?:$|[|;]))/],
  ["search", /^\s*(?:\w+=\S+\s+)*(?:cd\s+\S+\s*&&\s*)?(?:git\s+grep|grep|rg|ag|ack|fd|find)\b/],
  ["file", /^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|head|tail|sed\s+-n|bat|less|nl)\b/],
];

const names: [kind: ResultKind, pattern: RegExp][] = [
  ["test", /(?:^|[_-])tests?(?:$|[_-])/i],
  ["tree", /tree|list_?(?:dir|files)|directory|^ls$/i],
  ["search", /grep|search|find|glob|\brg\b/i],
  ["file", /read|cat|file|view|open/i],
];

/** Told by the command for a shell, by the tool's name for others, and by its look for what neither tells. */
export function kindOfResult(tool: string, input: unknown, text: string): ResultKind {
  const { command } = (input ?? {}) as { command?: unknown };
  const [patterns, asked] = typeof command === "string" ? [commands, command] : [names, tool];
  const known = patterns.find(([, pattern]) => pattern.test(asked))?.[0];
  return known ?? (/^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text) ? "json" : "other");
}

/** Lines from which a result of a kind is worth clearing once what matters of it stands in the notes. */
const leastLines: Record<ResultKind, number> = { search: 21, file: 101, tree: 1, json: 1, test: 1, other: 1 };

export function isLongEnough(kind: ResultKind, text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines < leastLines[kind]; at = text.indexOf("\n", at + 1))
    if (at < text.length - 1) lines++;
  return lines >= leastLines[kind];
}
