/** The kind of a tool result; each kind has its own size from which clearing pays. */
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

/** Judged by the command for a shell, by the tool's name otherwise; if neither matches, by whether the text looks like JSON. */
export function kindOfResult(tool: string, input: unknown, text: string): ResultKind {
  const { command } = (input ?? {}) as { command?: unknown };
  const [patterns, subject] = typeof command === "string" ? [commands, command] : [names, tool];
  const known = patterns.find(([, pattern]) => pattern.test(subject))?.[0];
  return known ?? (/^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text) ? "json" : "other");
}

/** Min lines for which a result is worth clearing once the notes cover it. */
const minLines: Record<ResultKind, number> = { search: 21, file: 101, tree: 1, json: 1, test: 1, other: 1 };

export function isLongEnough(kind: ResultKind, text: string): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && lines < minLines[kind]; at = text.indexOf("\n", at + 1))
    if (at < text.length - 1) lines++;
  return lines >= minLines[kind];
}
