import { shownIn } from "../context/shown-memory.ts";
import { readEpoch, readSpans } from "../engine/conversation.ts";
import { readText, revertChanges, type State, type TextTarget } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import type { Session } from "../sessions/session.ts";
import { listPins } from "../surfaces/pins/operations.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { SurfaceName } from "../surfaces/surfaces.ts";
import type { MessageView, Reply } from "./api.ts";
import { callsOf, recordedCall } from "./calls.ts";
import { readTranscript } from "./compactions.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { readMessages, summaryAlone, textOfMessage, unescaped } from "./messages.ts";
import { hiddenLines, offeredTypes } from "./session-item.ts";

type Place = Reply<"where">["places"][number];
type Life = NonNullable<Reply<"where">["life"]>;

const maxPlaces = 20;
/** Journal entries to walk back through; a longer walk would block other requests. */
const maxWalk = 5_000;
const batchSize = 250;
/** Calls whose exact prompts are checked, newest first. */
const maxCalls = 60;
const maxMessages = 2_000;
const maxText = 300;
const order: readonly Place["state"][] = ["in context", "retrievable", "lost"];

export function whereHandlers(context: ServerContext): Pick<Handlers, "where"> {
  return {
    async where({ params: { id }, query: { q } }) {
      const session = await context.memory.resumeSession(id);
      const state = await session.state();
      const wanted = plain(q).toLowerCase();
      const inMemory = await placesInMemory(context, session, state, wanted);
      const known = [...inMemory, ...(await placesInConversation(context, session, state, wanted))].sort(
        (a, b) => order.indexOf(a.state) - order.indexOf(b.state),
      );
      const places = known.length > 0 ? known : await placesInHistory(session, state, wanted);
      const [first] = inMemory;
      return {
        query: q,
        state: places[0]?.state ?? null,
        places: places.slice(0, maxPlaces),
        life: first ? await lifeOf(context, session, state, first, wanted) : null,
      };
    },
  };
}

const targets: readonly [Place["kind"], TextTarget][] = [
  ["notepad", "notepad"],
  ["plan", "space/plan"],
  ["scratchpad", "space/notes"],
];

/** Where the agent has the text of a memory type. One that a coding agent is not offered is lost to it, though it is stored. */
async function stateIn(context: ServerContext, session: Session, state: State) {
  const isHosted = context.hosts.about(session.id) !== undefined;
  const { notes } = await offeredTypes(context, session);
  const shown = shownIn(state);
  return (surface: SurfaceName): Place["state"] => {
    // Notes are in memory, but the model sees them only when it searches for them.
    if (surface === "notes") return notes ? "retrievable" : "lost";
    // Your own agent sees what it wrote. Hooks show the pins whatever the agent is offered.
    const isShown = !isHosted || surface === "pins" || context.offers(surface) || shown.has(surface);
    return isShown ? "in context" : "lost";
  };
}

async function placesInMemory(
  context: ServerContext,
  session: Session,
  state: State,
  wanted: string,
): Promise<Place[]> {
  const hidden = await hiddenLines(context, session, state);
  const isHidden = (line: number) => hidden !== null && line >= hidden.from && line <= hidden.to;
  const where = await stateIn(context, session, state);
  const texts = targets.flatMap(([kind, target]) => {
    const whole = where(kind === "notepad" ? "notepad" : "scratchpad");
    return linesWith(readText(state, target), wanted).map(({ text, line }) => {
      const isCut = kind === "notepad" && isHidden(line) && whole === "in context";
      return placeOf(kind, isCut ? "retrievable" : whole, text, { line });
    });
  });
  const pins = listPins(state)
    .filter(({ text }) => holds(text, wanted))
    .map(({ text }) => placeOf("pin", where("pins"), text));
  const refs = readScratchpad(state)
    .refs.filter((ref) => holds(ref, wanted))
    .map((ref) => placeOf("reference", where("scratchpad"), ref));
  const notes = state.row.counters.notes === 0 ? [] : await session.notes.all();
  const found = notes
    .filter(({ content }) => holds(content, wanted))
    .map(({ id, content }) => placeOf("note", where("notes"), content, { noteId: id }));
  return [...texts, ...pins, ...refs, ...found];
}

async function placesInConversation(
  { hosts }: ServerContext,
  session: Session,
  state: State,
  wanted: string,
): Promise<Place[]> {
  const summaries = readSpans(state)
    .filter(([, { text }]) => holds(summaryAlone(text), wanted))
    .map(([, { text, to }]) =>
      placeOf("summary", "in context", lineWith(summaryAlone(text), wanted), { number: to }),
    );
  const epoch = readEpoch(state).number - 1;
  const [handoff] = epoch < 1 ? [] : await session.records("handoff", [String(epoch)]);
  const noted =
    handoff && holds(handoff.value.text, wanted)
      ? [placeOf("handoff", "in context", lineWith(handoff.value.text, wanted), { number: epoch })]
      : [];
  const last = state.row.counters.lastMessage;
  const full = Number.MAX_SAFE_INTEGER;
  const conversation = last > 0 ? undefined : await hosts.conversation(session.id);
  const all = conversation?.messages.length ?? last;
  const from = Math.max(1, all - maxMessages + 1);
  const messages: MessageView[] = conversation
    ? await readTranscript(session, conversation, from, all, full)
    : await readMessages(session, from, all, full);
  const found = messages
    .map(({ number, state: where, ...message }) => ({ number, where, text: textOfMessage(message) }))
    .filter(({ text }) => holds(text, wanted))
    .map(({ number, where, text }) => placeOf("message", where, lineWith(text, wanted), { number }));
  return [...summaries, ...noted, ...found.reverse()];
}

/** For a text that is nowhere now: the newest revision that removed it. The agent has no tool to read it there. */
async function placesInHistory(session: Session, state: State, wanted: string): Promise<Place[]> {
  for await (const { entry, before } of walkBack(session, state)) {
    for (const change of entry.changes) {
      const gone =
        change.type === "text"
          ? readText(before, change.target)
          : change.type === "record"
            ? change.before
            : "";
      const text = typeof gone === "string" ? gone : JSON.stringify(gone ?? "");
      if (holds(text, wanted))
        return [placeOf("history", "lost", lineWith(text, wanted), { number: entry.revision })];
    }
  }
  return [];
}

/** When a line was written, which calls contained it, and the compactions since. */
async function lifeOf(
  context: ServerContext,
  session: Session,
  state: State,
  place: Place,
  wanted: string,
): Promise<Life> {
  const written = await findWriting(session, state, place, wanted);
  const epoch = written?.epoch ?? 1;
  return {
    text: place.text,
    since: written?.revision ?? null,
    at: written?.at ?? null,
    actor: written?.actor ?? null,
    calls: await checkCalls(context, session, written?.revision ?? 0, wanted),
    compactions: (await session.receipts()).filter((receipt) => receipt.epoch >= epoch).length,
  };
}

type Walked = Awaited<ReturnType<Session["history"]>>[number];
type Writing = Pick<Walked, "revision" | "at" | "actor"> & { epoch: number };

/** The revision since which memory has contained the text; undefined if that is longer ago than the walk goes. */
async function findWriting(
  session: Session,
  state: State,
  { kind, noteId, text }: Place,
  wanted: string,
): Promise<Writing | undefined> {
  const target = targets.find(([name]) => name === kind)?.[1];
  for await (const { entry, before } of walkBack(session, state)) {
    const isWriting =
      target !== undefined
        ? !holds(readText(before, target), wanted)
        : kind === "note"
          ? entry.changes.some((change) => change.type === "record" && change.key === noteId)
          : kind === "pin"
            ? !listPins(before).some((pin) => holds(pin.text, wanted))
            : !readScratchpad(before).refs.includes(text);
    if (!isWriting) continue;
    const { revision, at, actor } = entry;
    return { revision, at, actor, epoch: readEpoch(before).number };
  }
  return undefined;
}

/** Entries from the newest back, each with the state before it; other requests run between two batches. */
async function* walkBack(session: Session, now: State): AsyncGenerator<{ entry: Walked; before: State }> {
  let state = now;
  const oldest = Math.max(1, now.row.revision - maxWalk);
  for (let to = now.row.revision; to >= oldest; to -= batchSize) {
    for (const entry of await session.history({ from: Math.max(oldest, to - batchSize + 1), to })) {
      state = revertChanges(state, entry.changes);
      yield { entry, before: state };
    }
    await new Promise(setImmediate);
  }
}

async function checkCalls(
  context: ServerContext,
  session: Session,
  since: number,
  wanted: string,
): Promise<Life["calls"]> {
  const recent = await callsOf(session, { limit: maxCalls }, context);
  const later = recent.filter(
    ({ purpose, revision, source }) =>
      purpose !== "summary" && source === "ledger" && revision >= Math.max(1, since),
  );
  if (later.length === 0) return null;
  const known = new Map<string, boolean>();
  let present = 0;
  for (const { number } of later) {
    const recorded = await recordedCall(session, number, context);
    const isPresent = recorded?.pieces.some(({ hash, text }) => {
      const found = known.get(hash) ?? holds(unescaped(text), wanted);
      known.set(hash, found);
      return found;
    });
    if (isPresent) present++;
  }
  return { present, checked: later.length };
}

function placeOf(
  kind: Place["kind"],
  state: Place["state"],
  text: string,
  { line = null, number = null, noteId = null }: Partial<Place> = {},
): Place {
  return { kind, state, text: oneLine(text, maxText), line, number, noteId };
}

function linesWith(text: string, wanted: string): { text: string; line: number }[] {
  const lines = text.split("\n");
  const found = lines.flatMap((source, index) =>
    holds(source, wanted) ? [{ text: source.trim(), line: index + 1 }] : [],
  );
  // A passage of several lines is on none of them.
  return found.length > 0 || !holds(text, wanted) ? found : [{ text: wanted, line: 1 }];
}

/** The line with the text, without the name of a tool's argument before it. */
function lineWith(text: string, wanted: string): string {
  const line = linesWith(text, wanted)[0]?.text ?? wanted;
  const [, value = ""] = /^"\w+": "(.*)",?$/.exec(line) ?? [];
  return holds(value, wanted) ? value : line;
}

function holds(text: string, wanted: string): boolean {
  return plain(text).toLowerCase().includes(wanted);
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
