import { type Context, closedTexts } from "../../context/blocks.ts";
import { type MemoryView, planChange, viewOf } from "../../context/changes.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";

/** What the model was shown of its memory, and as of which revision. */
interface Shown {
  revision: number;
  view: MemoryView;
  head: string;
}

/**
 * What a conversation inside a host is shown of its memory. The whole of it is frozen when an epoch begins, so that the
 * provider's cache holds it. What the agent writes itself it sees in its own calls; what anyone else writes is news.
 */
export class ShownMemory {
  #shown: Shown | undefined;
  #notice: readonly string[] = [];
  readonly #ownEdits = new Set<string>();

  /** A new epoch begins: memory is shown as it is then, with a notice if there is one. */
  forget(notice: readonly string[] = []): void {
    this.#shown = undefined;
    this.#notice = notice;
    this.#ownEdits.clear();
  }

  /** A key for an edit that the model makes itself. */
  ownEdit(): string {
    const key = `call-of-${crypto.randomUUID()}`;
    this.#ownEdits.add(key);
    return key;
  }

  async texts(session: Session): Promise<{ head: string; news: string }> {
    const context = await session.context();
    const { row } = await session.state();
    const view = viewOf(context, row.notepad ?? "");
    this.#shown ??= { revision: row.revision, view, head: memoryText(context, this.#notice) };
    const { revision, head } = this.#shown;
    const isNews = row.revision > revision && (await this.#wroteUnseen(session, revision));
    const change = isNews ? planChange(this.#shown.view, view, 0) : undefined;
    const news = change ? `[System] Your memory was changed by someone else.\n\n${change.text}` : "";
    return { head, news };
  }

  async #wroteUnseen(session: Session, since: number): Promise<boolean> {
    const entries = await session.history({ from: since + 1 });
    return entries.some((entry) => isWriting(entry) && !this.#ownEdits.has(entry.key ?? ""));
  }
}

/** Written by an agent or a person, not by the machinery. */
function isWriting({ operation, changes }: JournalEntry): boolean {
  return changes.length > 0 && !/^(?:context|messages|session)\./.test(operation.type);
}

/** The memory as one text: how to use it, and what it holds. */
export function memoryText(context: Context, notice: readonly string[] = []): string {
  return [
    "[System] This is your memory. It is kept outside the conversation, and nobody said it just now.",
    context.guidance,
    ...notice,
    ...closedTexts(context, context.blocks),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}
