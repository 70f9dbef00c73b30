import { type MemoryView, viewOf } from "../context/changes.ts";
import { messageOfCall } from "../context/conversation.ts";
import { readEpoch, readInjections, readSnapshot, readSpans } from "../engine/conversation.ts";
import { revertChanges, type State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import { type NotepadOperation, replayEdit } from "../surfaces/notepad/operations.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { AgentSetting } from "./setting.ts";

/** What the model knows of its memory in this epoch: what it was shown, and what it has written since. */
export class ShownMemory {
  readonly #session: Session;
  readonly #setting: Pick<AgentSetting, "toolbox">;
  #shown: { epoch: number; placed: number; view: MemoryView } | undefined;
  /** The revision up to which the journal has been checked for edits by others. */
  #checked = 0;
  /** The agent's own notepad edits since the model last saw it, each with the message that contains the call. */
  #own: { placed: number; edits: { message: number; operation: NotepadOperation }[] } = {
    placed: -1,
    edits: [],
  };

  constructor(session: Session, setting: Pick<AgentSetting, "toolbox">) {
    this.#session = session;
    this.#setting = setting;
  }

  /** The memory as the model was shown it; rebuilt from the journal only in a process that did not show it. */
  async shown(state: State): Promise<MemoryView> {
    const { placed, number } = readEpoch(state);
    if (this.#shown?.epoch === number && this.#shown.placed === placed) return this.#shown.view;
    let past = state;
    for (const entry of await this.#session.history({ from: placed + 1, to: state.row.revision }))
      past = revertChanges(past, entry.changes);
    this.#shown = { epoch: number, placed, view: this.#withoutUnshown(this.view(past), state) };
    return this.#shown.view;
  }

  /** Whether anything shown from outside the session has changed: a file, the agent's knowledge. */
  async changedOutside(state: State): Promise<boolean> {
    if (this.#setting.toolbox.changeable.size === 0) return false;
    const [{ blocks: shown }, { blocks: now }] = [await this.shown(state), this.view(state)];
    return [...this.#setting.toolbox.changeable].some((surface) => shown.get(surface) !== now.get(surface));
  }

  /** The journal does not record content outside the session, so a block from there counts as shown only if the prompt contains it. */
  #withoutUnshown(view: MemoryView, state: State): MemoryView {
    const { changeable } = this.#setting.toolbox;
    if (changeable.size === 0) return view;
    const frozen = readSnapshot(state).blocks;
    const wasShown = (text: string) =>
      frozen.includes(text) || readInjections(state).some((injection) => injection.text.includes(text));
    const blocks = [...view.blocks].filter(([surface, text]) => !changeable.has(surface) || wasShown(text));
    return { ...view, blocks: new Map(blocks) };
  }

  view(state: State): MemoryView {
    return viewOf(this.#setting.toolbox.context(state), state.row.notepad ?? "");
  }

  /** Skips a revision that the controller itself stored, unless another write came in between. */
  skipOwnWrite(state: State, revision: number): void {
    if (Math.max(readEpoch(state).placed, this.#checked) === revision - 1) this.#checked = revision;
  }

  /** Whether, since the last check, anything was written that the agent cannot see in its tool calls. */
  async wroteUnseen(state: State): Promise<boolean> {
    const from = Math.max(readEpoch(state).placed, this.#checked) + 1;
    this.#checked = state.row.revision;
    if (from > state.row.revision) return false;
    const entries = await this.#session.history({ from, to: state.row.revision, newestFirst: false });
    const { placed } = readEpoch(state);
    if (this.#own.placed !== placed) this.#own = { placed, edits: [] };
    for (const { operation, key } of entries) {
      const message = messageOfCall(key);
      if (message !== undefined && isNotepadOperation(operation))
        this.#own.edits.push({ message, operation });
    }
    return entries.some(isUnseen);
  }

  /**
   * The notepad as the model believes it to be: what it was shown plus its own edits that are still visible. Wrong if
   * someone else reverted such an edit, even though the notepad then equals what was shown.
   */
  async believed(state: State): Promise<string> {
    await this.wroteUnseen(state);
    const { notepad = "" } = await this.shown(state);
    const spans = readSpans(state).filter(([, { kind }]) => kind !== "summary");
    const isVisible = (message: number) =>
      !spans.some(([, { from, to }]) => message >= from && message <= to);
    const edits = this.#own.placed === readEpoch(state).placed ? this.#own.edits : [];
    return edits
      .filter(({ message }) => isVisible(message))
      .reduce((text, { operation }) => replayEdit(text, operation), notepad);
  }
}

/** Writes by others or by a program in the agent's name, and the end of a task, which hides the calls in it. */
function isUnseen({ actor, operation: { type }, key }: JournalEntry): boolean {
  if (actor.kind === "system" || type.startsWith("messages.")) return false;
  return (
    actor.kind !== "agent" ||
    messageOfCall(key) === undefined ||
    type === "tasks.end" ||
    type === "tasks.cancel"
  );
}

function isNotepadOperation(operation: JournalEntry["operation"]): operation is NotepadOperation {
  return operation.type.startsWith("notepad.");
}
