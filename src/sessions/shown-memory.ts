import { type Context, closedTexts } from "../context/blocks.ts";
import {
  changesSince,
  changeText,
  type ShownBlocks,
  shownBy,
  showsOldHint,
} from "../context/shown-memory.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { inPlugin } from "../surfaces/surface.ts";
import { OwnEdits } from "./own-edits.ts";
import type { Session } from "./session.ts";

/** The memory as the model was shown it, and its revision. */
interface Shown {
  revision: number;
  blocks: ShownBlocks;
  /** Shown in each request, or once. */
  head: string;
}

/**
 * What a conversation inside a host is shown of its memory. The text is frozen at the start of an epoch, so that it stays
 * in the provider's cache. The agent sees its own writes in its calls; writes by anyone else are news.
 */
export class ShownMemory {
  #shown: Shown | undefined;
  #notice: readonly string[] = [];
  readonly #ownEdits: OwnEdits;

  constructor(ownEdits = new OwnEdits()) {
    this.#ownEdits = ownEdits;
  }

  /** Starts a new epoch: the next text shows the current memory, with the notice. */
  forget(notice: readonly string[] = []): void {
    this.#shown = undefined;
    this.#notice = notice;
  }

  /** Returns the key of one of the model's own edits: the same for the same call sent again. */
  ownEdit(id: string, tool: string, input: unknown): Promise<string> {
    return this.#ownEdits.keyOf(id, tool, input);
  }

  /** The news are those since the head, for a request that is made anew each time. */
  async texts(session: Session): Promise<{ head: string; news: string }> {
    const { head, news } = await this.#look(session);
    return { head, news };
  }

  /** The news are given once, for a text that stays in the conversation. */
  async textsOnce(session: Session): Promise<{ head: string; news: string }> {
    const { head, news, now } = await this.#look(session);
    if (news !== "") this.#shown = { ...now, head };
    return { head, news };
  }

  async #look(session: Session) {
    const context = await session.context(inPlugin);
    const { row } = await session.state();
    const now = { revision: row.revision, blocks: shownBy(context) };
    if (!this.#shown || showsOldHint([...this.#shown.blocks.values()], context))
      this.#shown = { ...now, head: memoryText(context, this.#notice) };
    const { revision, head, blocks } = this.#shown;
    const isNews = row.revision > revision && (await this.#wroteUnseen(session, revision));
    const changes = isNews ? changesSince(blocks, context) : [];
    const lead = changes.length === 0 ? [] : ["[System] Your memory was changed by someone else."];
    return { head, news: [...lead, ...changes.map(changeText)].join("\n\n"), now };
  }

  async #wroteUnseen(session: Session, since: number): Promise<boolean> {
    const entries = await session.history({ from: since + 1 });
    return entries.some((entry) => isWriting(entry) && !this.#ownEdits.has(entry.key));
  }
}

/** Written by an agent or a person, not by Holdfast itself. */
function isWriting({ operation, changes }: JournalEntry): boolean {
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
