/** A pattern that our sentences avoid, with an example of it. */
interface Rule {
  name: string;
  pattern: RegExp;
  instead: string;
  example: string;
}

export const rules: readonly Rule[] = [
  {
    name: "a sentence that begins with What",
    pattern: /(?:^|[.:!|*] +|^#+ |^[-\d.]+ )What\b(?![^.|]*\?)/m,
    instead: "name the thing",
    example: "What the agent wrote is kept.",
  },
  {
    name: "is no",
    pattern: /(?<!\b[Tt]here )\b(?:is|are) no\b(?! longer)/,
    instead: "is not a",
    example: "A pin is no lock.",
  },
  {
    name: "beside",
    pattern: /\bbeside\b/i,
    instead: "next to, or compared with",
    example: "It is beside it.",
  },
  {
    name: "a thing that says",
    // Only people and models say.
    pattern: /(?<!\b(?:agent|model|user|person) )\bsays\b/i,
    instead: "shows, lists, reports, contains",
    example: "A receipt says it.",
  },
  {
    name: "anew, for good, for ever, seldom",
    pattern: /\banew\b|\bfor good\b|\bfor ever\b|\bseldom\b/i,
    instead: "again, permanently, rarely",
    example: "It is written anew.",
  },
  { name: "a semicolon", pattern: /;/, instead: "two sentences", example: "It ends; it starts." },
  {
    name: "a state outside the three",
    pattern: /\brecallable\b|\bone call away\b|\b(?:in|out of) sight\b/i,
    instead: "in context, retrievable or lost",
    example: "The rest is recallable.",
  },
  {
    name: "another spelling",
    pattern: /\bplug-in|\bhand-over|summaris|recognis|\bbehaviour|\bcolour|\blicence\b/i,
    instead: "plugin, handoff, summarize, recognize, behavior, color, license",
    example: "Load the plug-in.",
  },
];

/** The rules for comments and the names of tests, which may have semicolons. */
const rulesInCode = rules.filter(({ name }) => name !== "a semicolon");

/** The comments and test names of a TypeScript file that break a rule, as `LINE: NAME`. */
export function commentFaults(source: string): string[] {
  return source.split("\n").flatMap((line, index) => {
    const [, comment] = /^\s*(?:\/\*\*|\*|\/\/)\s?(.*)$/.exec(line) ?? / \/\/ (.*)$/.exec(line) ?? [];
    const [, name] = /\btest\(\s*["'`](.*)\[[a-z]+\./.exec(line) ?? [];
    const sentence = comment ?? name?.replace(/^what\b/, "What") ?? "";
    return faultsIn(sentence.replaceAll(/`[^`]*`/g, "x"), index, rulesInCode);
  });
}

function faultsIn(line: string, index: number, broken: readonly Rule[]): string[] {
  return broken
    .filter(({ pattern }) => pattern.test(line))
    .map(({ name, instead }) => `${index + 1}: ${name} (${instead}): ${line.trim().slice(0, 80)}`);
}

/** The lines of a Markdown page that break a rule, outside code, as `LINE: NAME`. */
export function proseFaults(page: string): string[] {
  const prose = page
    .replaceAll(/```[\s\S]*?```/g, (code) => code.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`/g, "x")
    .replaceAll(/\]\([^)]*\)/g, "]");
  return prose.split("\n").flatMap((line, index) => faultsIn(line, index, rules));
}
