import type { HostTools } from "./host-tools.ts";

/** How to write a program, for the system prompt. */
export function guidanceFor(hostTools: HostTools): string {
  const tools = Object.entries(hostTools).map(
    ([name, { description }]) => `- tools.${name}(input)${description ? `: ${description}` : ""}`,
  );
  return `## Sandbox
run_sandbox_code runs TypeScript or JavaScript; create_tool saves a program as your own tool. A program is the body of an async function: use await and return JSON. In scope (await every call):
- input: the program's input
- session.notepad: read(), write(text), append(text), prepend(text), replace(find, text, { all }), delete(text)
- session.notes: add(text, tags), update(id, { content, tags }), delete(id), get(id), all(), search({ query, tags, limit, offset }), tags()
- session.scratchpad: read(), setNotes(text), appendNotes(text), setPlan(text), addRef(ref), removeRef(ref), setRefs(refs)
- session.scratch (this session) and state (all your sessions): get(key), entry(key), set(key, value, { expected, schema }), delete(key, { expected }), list({ prefix, after, limit })
- console.log(...)
${tools.length > 0 ? `${tools.join("\n")}\n` : ""}There is no network, no file system, no timer and no import. In a long program, append progress to the notepad as you go: it is kept even if the program is stopped.`;
}
