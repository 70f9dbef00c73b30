import type { Placement } from "../context/blocks.ts";
import { type Context, closedTexts } from "../context/blocks.ts";
import {
  changesSince,
  changeText,
  type ShownBlocks,
  shownBy,
  showsOldHint,
} from "../context/shown-memory.ts";
import { callKeyOf } from "../surfaces/call-key.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { inPlugin } from "../surfaces/surface.ts";
import type { Session } from "./session.ts";

/** The memory as the model was shown it, and its revision. */
interface Shown {
  revision: number;
  blocks: ShownBlocks;
  /** Shown in each request, or once. */
  head: string;
}

/** The shown memory: once or in the system prompt, and with the user's message. */
export interface MemoryTexts {
  head: string;
  news: string;
}

export interface ShownMemoryOptions {
  placement?: Placement | undefined;
}

/**
 * The memory that a conversation inside a host is shown. Within a turn the texts stay as they are, so that they stay in
 * the provider's cache: the agent sees its own writes in its calls, and writes by anyone else are news. With
 * the next turn the agent is shown its own writes too. `epoch` shows the memory of the last compaction and the changes
 * since, `system` the current memory in the head, `message` the current memory with the news.
 */
export class ShownMemory {
  readonly #placement: Placement;
  readonly #ownEdits = new OwnEdits();
  #shown: Shown | undefined;
  #notice: readonly string[] = [];
  #news = "";
  /** The revision that the texts of this turn show; -1 before its first text. */
  #current = -1;

  constructor({ placement = "epoch" }: ShownMemoryOptions = {}) {
    this.#placement = placement;
  }

  /** Starts a new epoch: the next text shows the current memory, with the notice. */
  forget(notice: readonly string[] = []): void {
    this.#shown = undefined;
    this.#notice = notice;
    this.beginTurn();
  }

  /** A message of the user: the next texts show everything that was written before it. */
  beginTurn(): void {
    this.#current = -1;
  }

  /** Returns the key of one of the model's own edits: the same for the same call sent again. */
  ownEdit(id: string, tool: string, input: unknown): Promise<string> {
    return this.#ownEdits.keyOf(id, tool, input);
  }

  /** For a request that is made again each time. */
  async texts(session: Session): Promise<MemoryTexts> {
    const { head, news } = await this.#look(session);
    return { head, news };
  }

  /** For a text that stays in the conversation: the news are given once. */
  async textsOnce(session: Session): Promise<MemoryTexts> {
    const { head, news, now } = await this.#look(session);
    if (news !== "" && this.#shown) [this.#shown, this.#news] = [{ ...now, head: this.#shown.head }, ""];
    return { head, news };
  }

  async #look(session: Session): Promise<MemoryTexts & { now: Omit<Shown, "head"> }> {
    const context = await session.context(inPlugin(this.#placement));
    const { row } = await session.state();
    const now = { revision: row.revision, blocks: shownBy(context) };
    const isFirst = !this.#shown || showsOldHint([...this.#shown.blocks.values()], context);
    const isByOthers = !isFirst && (await this.#wroteUnseen(session, row.revision));
    if (isFirst || isByOthers || this.#current === -1) {
      if (isFirst || this.#placement === "system") this.#shown = { ...now, head: this.#headOf(context) };
      this.#news = this.#newsOf(context, isByOthers);
      this.#current = row.revision;
    }
    return { head: this.#shown?.head ?? "", news: this.#news, now };
  }

  #headOf(context: Context): string {
    const isWithNews = this.#placement === "message";
    return memoryText(isWithNews ? { ...context, blocks: [] } : context, this.#notice);
  }

  #newsOf(context: Context, isByOthers: boolean): string {
    if (this.#placement === "message") return closedTexts(context, context.blocks).join("\n\n");
    const changes = this.#shown ? changesSince(this.#shown.blocks, context) : [];
    const lead =
      changes.length === 0 || !isByOthers ? [] : ["[System] Your memory was changed by someone else."];
    return [...lead, ...changes.map(changeText)].join("\n\n");
  }

  /** Whether someone else has written what this conversation was not shown. */
  async #wroteUnseen(session: Session, revision: number): Promise<boolean> {
    const since = Math.max(this.#current, this.#shown?.revision ?? 0);
    if (revision <= since) return false;
    const entries = await session.history({ from: since + 1 });
    return entries.some((entry) => changesMemory(entry) && !this.#ownEdits.has(entry.key));
  }
}

/** Whether an entry changed memory, and not only what Holdfast notes about the conversation. */
function changesMemory({ operation, changes }: JournalEntry): boolean {
  return changes.length > 0 && !/^(?:context|messages|session)\./.test(operation.type);
}

/** How every text of the memory begins. */
const memoryLead =
  "[System] This is your memory. It is kept outside the conversation and is not a message from the user.";

/** The memory as one text: guidance, notice and content. */
export function memoryText(context: Context, notice: readonly string[] = []): string {
  return [memoryLead, context.guidance, ...notice, ...closedTexts(context, context.blocks)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The text of the memory for a conversation, which may contain an earlier copy: the model must know which one holds. */
export function memoryFor(conversation: string, text: string): string {
  if (!conversation.includes(memoryLead)) return text;
  return `[System] Your memory follows as it is now. It replaces every earlier copy of it in this conversation.\n\n${text}`;
}

/** More edits than a model makes between two texts of the memory. */
const maxKeys = 10_000;

/** The keys of the edits that a model made itself, in this process: it saw them in its calls, so it knows them. */
class OwnEdits {
  readonly #keys = new Set<string>();

  /** Returns the key of one of the model's own edits: the same for the same call sent again. */
  async keyOf(id: unknown, tool: string, input: unknown): Promise<string> {
    const key = (await callKeyOf(id, tool, input)) ?? `call-of-${crypto.randomUUID()}`;
    this.#keys.add(key);
    const [oldest = ""] = this.#keys;
    if (this.#keys.size > maxKeys) this.#keys.delete(oldest);
    return key;
  }

  /** Whether an entry of the journal is one of them. */
  has(key: string | null): boolean {
    return key !== null && this.#keys.has(key);
  }
}
