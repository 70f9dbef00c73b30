import { readEpoch, readSpans } from "../engine/conversation.ts";
import { readText, revertChanges, type State, type TextTarget } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import type { Session } from "../sessions/session.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";
import { callsOf, recordedCall } from "./ledger.ts";
import { readMessages, summaryAlone, textOfMessage, textOfStored } from "./messages.ts";
import { plain } from "./window.ts";

type Whereabouts = Reply<"whereabouts">;
type Place = Whereabouts["places"][number];
type Life = NonNullable<Whereabouts["life"]>;

const maxPlaces = 20;
/** Journal entries to walk back through; a longer walk would block other requests. */
const maxWalk = 5_000;
const batchSize = 250;
/** Calls whose exact prompts are checked, newest first. */
const maxCalls = 60;
const maxMessages = 2_000;
const maxText = 300;

export function whereaboutsHandlers(context: ServerContext): Pick<Handlers, "whereabouts"> {
  return {
    async whereabouts({ params: { id }, query: { q } }) {
      const session = await context.memory.resumeSession(id);
      const state = await session.state();
      const wanted = plain(q).toLowerCase();
      const inMemory = await placesInMemory(session, state, wanted);
      const elsewhere = await placesInConversation(session, state, wanted, context);
      const known = [...inMemory, ...elsewhere].sort((a, b) => Number(b.inSight) - Number(a.inSight));
      const places = known.length > 0 ? known : await placesInHistory(session, state, wanted);
      const [first] = inMemory;
      return {
        query: q,
        places: places.slice(0, maxPlaces),
        life: first ? await lifeOf(session, state, first, wanted, context) : null,
      };
    },
  };
}

const targets: readonly [Place["kind"], TextTarget][] = [
  ["notepad", "notepad"],
  ["plan", "space/plan"],
  ["scratchpad", "space/notes"],
];

async function placesInMemory(session: Session, state: State, wanted: string): Promise<Place[]> {
  const texts = targets.flatMap(([kind, target]) =>
    linesWith(readText(state, target), wanted).map(({ text, line }) => placeOf(kind, text, { line })),
  );
  const refs = readScratchpad(state)
    .refs.filter((ref) => holds(ref, wanted))
    .map((ref) => placeOf("reference", ref, {}));
  // Notes are in memory, but the model sees them only when it searches for them.
  const notes = state.row.counters.notes === 0 ? [] : await session.notes.all();
  const found = notes
    .filter(({ content }) => holds(content, wanted))
    .map(({ id, content }) => placeOf("note", content, { noteId: id, inSight: false }));
  return [...texts, ...refs, ...found];
}

async function placesInConversation(
  session: Session,
  state: State,
  wanted: string,
  { hosts }: ServerContext,
): Promise<Place[]> {
  const summaries = readSpans(state)
    .filter(([, { text }]) => holds(summaryAlone(text), wanted))
    .map(([, { text, to }]) => placeOf("summary", lineWith(summaryAlone(text), wanted), { number: to }));
  const last = state.row.counters.lastMessage;
  const own = await readMessages(session, Math.max(1, last - maxMessages + 1), last, Number.MAX_SAFE_INTEGER);
  const messages = own
    .map((message) => ({ ...message, text: textOfMessage(message) }))
    .filter(({ text }) => holds(text, wanted))
    .map(({ number, text, inContext }) =>
      placeOf("message", lineWith(text, wanted), { number, inSight: inContext === "whole" }),
    );
  const epoch = readEpoch(state).number - 1;
  const [handoff] = epoch < 1 ? [] : await session.records("handoff", [String(epoch)]);
  const noted =
    handoff && holds(handoff.value.text, wanted)
      ? [placeOf("handoff", lineWith(handoff.value.text, wanted), { number: epoch })]
      : [];
  const hosted = last > 0 ? [] : await placesInTranscript(session, wanted, hosts);
  return [...summaries, ...noted, ...messages.reverse(), ...hosted];
}

async function placesInTranscript(
  session: Session,
  wanted: string,
  hosts: ServerContext["hosts"],
): Promise<Place[]> {
  const conversation = await hosts.conversation(session.id);
  const removed = conversation?.compactions.at(-1)?.to ?? 0;
  return (conversation?.messages ?? [])
    .slice(-maxMessages)
    .map(({ number, stored }) => ({ number, text: textOfStored(stored) }))
    .filter(({ text }) => holds(text, wanted))
    .map(({ number, text }) =>
      placeOf("message", lineWith(text, wanted), { number, inSight: number > removed }),
    )
    .reverse();
}

/** For a text that is nowhere now: the newest revision that removed it. */
async function placesInHistory(session: Session, state: State, wanted: string): Promise<Place[]> {
  for await (const { entry } of walkBack(session, state)) {
    for (const change of entry.changes) {
      const gone = change.type === "text" ? change.removed : change.type === "record" ? change.before : "";
      const text = typeof gone === "string" ? gone : JSON.stringify(gone ?? "");
      if (holds(text, wanted))
        return [placeOf("history", lineWith(text, wanted), { number: entry.revision, inSight: false })];
    }
  }
  return [];
}

/** When a line was written, which calls contained it, what it survived and what it cost. */
async function lifeOf(
  session: Session,
  state: State,
  place: Place,
  wanted: string,
  context: ServerContext,
): Promise<Life> {
  const written = await findWriting(session, state, place, wanted);
  const tokens = Math.round(context.memory.setting.countTokens(place.text));
  const calls = await checkCalls(session, written?.revision ?? 0, wanted, tokens, context);
  const epochs = Array.from({ length: readEpoch(state).number - (written?.epoch ?? 1) }, (_, index) =>
    String((written?.epoch ?? 1) + index),
  );
  return {
    text: place.text,
    since: written?.revision ?? null,
    at: written?.at ?? null,
    actor: written?.actor ?? null,
    calls: calls ? { present: calls.present, checked: calls.checked, isAll: calls.isAll } : null,
    compactions: (await session.records("receipt", epochs)).length,
    tokens,
    money: calls?.money ?? null,
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
          : !readScratchpad(before).refs.includes(text);
    if (isWriting) {
      const { revision, at, actor } = entry;
      return { revision, at, actor, epoch: readEpoch(before).number };
    }
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
  session: Session,
  since: number,
  wanted: string,
  tokens: number,
  { hosts, priceOf }: ServerContext,
): Promise<{ present: number; checked: number; isAll: boolean; money: number | null } | undefined> {
  const recent = await callsOf(session, { limit: maxCalls + 1 }, { hosts, priceOf });
  const later = recent.filter(
    ({ purpose, revision, source }) =>
      purpose !== "summary" && source === "ledger" && revision >= Math.max(1, since),
  );
  if (later.length === 0) return undefined;
  const known = new Map<string, boolean>();
  let present = 0;
  let money: number | null = 0;
  for (const { number, model, usage } of later.slice(-maxCalls)) {
    const call = await recordedCall(session, number, hosts, priceOf);
    const isPresent = call?.pieces.some(({ hash, text }) => {
      const found = known.get(hash) ?? holds(unescaped(text), wanted);
      known.set(hash, found);
      return found;
    });
    if (!isPresent) continue;
    present++;
    const price = priceOf(model);
    const cached = usage.input ? (usage.cached ?? 0) / usage.input : 0;
    if (price && money !== null)
      money += (tokens * (cached * price.cacheRead + (1 - cached) * price.input)) / 1_000_000;
    else money = null;
  }
  return { present, checked: Math.min(later.length, maxCalls), isAll: recent.length <= maxCalls, money };
}

function placeOf(
  kind: Place["kind"],
  text: string,
  { line = null, number = null, noteId = null, inSight = true }: Partial<Place>,
): Place {
  return { kind, text: oneLine(text, maxText), line, number, noteId, inSight };
}

function linesWith(text: string, wanted: string): { text: string; line: number }[] {
  const lines = text.split("\n");
  const found = lines.flatMap((source, index) =>
    holds(source, wanted) ? [{ text: source.trim(), line: index + 1 }] : [],
  );
  // A passage of several lines is on none of them.
  return found.length > 0 || !holds(text, wanted) ? found : [{ text: wanted, line: 1 }];
}

/** The line with the text, or the text around it. */
function lineWith(text: string, wanted: string): string {
  return linesWith(text, wanted)[0]?.text ?? wanted;
}

function holds(text: string, wanted: string): boolean {
  return plain(text).toLowerCase().includes(wanted);
}

/** Pieces are JSON messages, which escape line breaks and quotes. */
function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
