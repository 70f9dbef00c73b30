import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { fenceContent } from "../context/fence.ts";
import type { Handoff } from "../engine/records.ts";
import type { Session } from "../sessions/session.ts";
import { notepadSurface } from "../surfaces/notepad/tools.ts";
import { pinsSurface } from "../surfaces/pins/tools.ts";
import type { Surface } from "../surfaces/surface.ts";
import { memoryText, sectionsOf } from "./show-memory.ts";

export const prompts: Prompt[] = [
  {
    name: "recover",
    title: "Recover",
    description:
      "Everything saved in memory, to continue after a compaction, a /clear, a restart or a crash.",
  },
  {
    name: "handoff",
    title: "Hand over",
    description: "A handoff for the next session or agent: the current memory, and what to add to it.",
    arguments: [{ name: "to", description: "Who continues the work", required: false }],
  },
  {
    name: "show_memory",
    title: "Show memory",
    description: "The contents of memory, for you to read.",
  },
];

/** `earlier`: the last conversation in the project, while nothing was saved in this one. */
export async function recoverPrompt(
  session: Session | undefined,
  surfaces: readonly Surface[],
  earlier: Session | undefined,
): Promise<GetPromptResult> {
  const memory = await renderMemory(session, surfaces);
  const before = await renderMemory(earlier, surfaces);
  const start =
    before !== ""
      ? `Nothing has been saved in this conversation yet. Below is what the last one in this project saved (session ${earlier?.id}). Continue from there, do not redo finished work, and save again what you still need.`
      : memory !== ""
        ? "The conversation before this point may be gone. This is what was saved from it; continue from here, and do not redo finished work."
        : "Nothing has been saved for this session yet. Ask what the task is, and save your findings as you work.";
  return userPrompt("Everything saved in memory.", [start, before === "" ? memory : before]);
}

export async function handoffPrompt(
  session: Session | undefined,
  surfaces: readonly Surface[],
  to: string | undefined,
): Promise<GetPromptResult> {
  const reader = to === undefined || to.trim() === "" ? "the next session or agent" : fenceContent(to.trim());
  const offers = (name: string) => surfaces.some(({ tools }) => tools.some((tool) => tool.name === name));
  const keep = offers("log_handoff")
    ? "Save it with log_handoff."
    : offers("update_notepad")
      ? "Save it with update_notepad (operation: append)."
      : "Put it in your answer.";
  const memory = await renderMemory(session, surfaces);
  return userPrompt("A handoff for the next session or agent.", [
    `Hand this work over to ${reader}, who has not seen this conversation. Below is what memory already contains. Write down what is missing: the goal, what is done and how it was checked, what is open and the next step, decisions with their reasons, dead ends, and the paths, ids and numbers that are needed. ${keep}`,
    session ? `The session is ${session.id}.` : "",
    memory === "" ? "The memory is empty." : memory,
  ]);
}

/** The text that the tool of this name shows in a client that renders apps. */
export async function showMemoryPrompt(id: string, session: Session | undefined): Promise<GetPromptResult> {
  return userPrompt("The contents of memory.", [
    "Show me the following contents of memory as they are. Do nothing else.",
    fenceContent(memoryText(session ? await sectionsOf(session) : [])),
    `The session is ${id}.`,
  ]);
}

function userPrompt(description: string, parts: readonly string[]): GetPromptResult {
  const text = parts.filter((part) => part !== "").join("\n\n");
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

/** The memory as the model would see it, of the offered surfaces, with the last handoff and receipt; "" if nothing was saved. */
async function renderMemory(session: Session | undefined, surfaces: readonly Surface[]): Promise<string> {
  if (!session) return "";
  // Refreshes the surfaces that have external data.
  await session.context();
  const state = await session.state();
  const offers = (name: string) => surfaces.some((surface) => surface.name === name);
  const blockOf = (surface: Surface) => surface.block?.(state)?.text ?? "";
  // The notepad block has no end marker, so it goes last.
  const others = surfaces.filter(({ name }) => name !== notepadSurface.name && name !== pinsSurface.name);
  const parts = [
    offers(pinsSurface.name) ? blockOf(pinsSurface) : "",
    ...(await renderCompaction(session)),
    offers("notes") ? await renderNoteCount(session) : "",
    ...others.map(blockOf),
    offers(notepadSurface.name) && state.row.notepad ? blockOf(notepadSurface) : "",
  ];
  return session.hideSecrets(parts.filter((part) => part !== "").join("\n\n"));
}

async function renderCompaction(session: Session): Promise<string[]> {
  const handoffs = (await session.records("handoff")).map(({ value }) => value);
  const last = handoffs.reduce<Handoff | undefined>(
    (newest, each) => (newest && newest.epoch > each.epoch ? newest : each),
    undefined,
  );
  return [last?.text ?? "", (await session.receipts()).at(-1)?.line ?? ""];
}

async function renderNoteCount(session: Session): Promise<string> {
  const { counters } = (await session.state()).row;
  if (counters.notes === 0) return "";
  const tags = (await session.notes.tags())
    .sort((a, b) => b.notes - a.notes)
    .slice(0, 20)
    .map(({ tag, notes }) => `${fenceContent(tag)} (${notes})`);
  const tagged = tags.length > 0 ? ` Most used tags: ${tags.join(", ")}.` : "";
  return `${counters.notes} ${counters.notes === 1 ? "note is" : "notes are"} saved; read them with list_notes or search_notes.${tagged}`;
}
