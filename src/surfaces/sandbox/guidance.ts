import type { HostTools } from "./host-tools.ts";

/** What a program can call for each surface. */
const objects: Readonly<Record<string, string>> = {
  notepad:
    "- session.notepad: read(), write(text), append(text), prepend(text), replace(find, text, { all }), delete(text)",
  notes:
    "- session.notes: add(text, tags), update(id, { content, tags }), delete(id), get(id), all(), search({ query, tags, limit, offset }), tags()",
  scratchpad:
    "- session.scratchpad: read(), setNotes(text), appendNotes(text), setPlan(text), addRef(ref), removeRef(ref), setRefs(refs)",
};

/** Where a long program writes down how far it is: the first of these surfaces that the agent gets. */
const progress: Readonly<Record<string, string>> = {
  notepad: "append progress to the notepad",
  scratchpad: "append progress to the scratchpad's notes",
  notes: "add a note of your progress",
};

/** How to write a program, for the system prompt. Names only the surfaces that the agent gets. */
export function guidanceFor(hostTools: HostTools, chosen: readonly string[]): string {
  const own = Object.entries(objects).flatMap(([surface, line]) => (chosen.includes(surface) ? [line] : []));
  const tools = Object.entries(hostTools).map(
    ([name, { description }]) => `- tools.${name}(input)${description ? `: ${description}` : ""}`,
  );
  const write = Object.entries(progress).find(([surface]) => chosen.includes(surface))?.[1];
  const keep = `In a long program, ${write ?? "store progress with session.scratch.set"} as you go: it is kept even if the program is stopped.`;
  return [
    "## Sandbox",
    "run_sandbox_code runs TypeScript or JavaScript; create_tool saves a program as your own tool. A program is the body of an async function: use await and return JSON. In scope (await every call):",
    "- input: the program's input",
    ...own,
    "- session.scratch (this session) and state (all your sessions): get(key), entry(key), set(key, value, { expected, schema }), delete(key, { expected }), list({ prefix, after, limit })",
    "- console.log(...)",
    ...tools,
    `There is no network, no file system, no timer and no import. ${keep}`,
  ].join("\n");
}
