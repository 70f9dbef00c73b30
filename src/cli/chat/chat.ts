import type { Agent, SendOptions, Turn } from "../../agent/agent.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { Usage } from "../../compaction/usage.ts";
import { isFinalAnswer, toStored } from "../../context/conversation.ts";
import { foreignLines, linesIn } from "../../engine/origins.ts";
import type { State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { scratchpadWrite } from "../commands/edit.ts";
import { count, percent } from "../terminal/quantities.ts";
import { type ChosenModel, describeFailure } from "./model.ts";
import type { Outcome, View } from "./view.ts";

/** The parts that all conversations of one chat share. */
interface ChatOptions {
  memory: Memory;
  agent: Agent;
  view: View;
  model: ChosenModel;
  contextWindow: number;
  /** Share of the window at which the conversation is compacted. */
  compactAt: number;
}

/** Edits that the user asks for. */
export const asPerson = { actor: { kind: "person" as const }, surface: "chat" };

/** A conversation at the command line: its session and the running turn. */
export class Chat {
  readonly options: ChatOptions;
  session: Session;
  #running: AbortController | undefined;

  constructor(options: ChatOptions, session: Session) {
    this.options = options;
    this.session = session;
  }

  async send(text: string): Promise<Outcome> {
    const { row } = await this.session.state();
    // The first prompt becomes the title, so that lists of sessions are readable.
    if (row.title === null) await this.session.apply({ type: "session.rename", title: oneLine(text, 60) });
    return this.run((options) => this.options.agent.send(this.session.id, text, options));
  }

  /** Runs a turn and shows it until it succeeds or fails. */
  async run(start: (options: SendOptions) => Turn): Promise<Outcome> {
    const { view, model } = this.options;
    const controller = new AbortController();
    this.#running = controller;
    let outcome: Outcome;
    try {
      const turn = start({ signal: controller.signal });
      for await (const event of turn) view.event(event);
      outcome = outcomeOf(await turn.result);
    } catch (error) {
      const { aborted } = controller.signal;
      outcome = {
        ok: false,
        aborted,
        error: aborted ? "The turn was stopped." : describeFailure(error, model.label),
      };
    } finally {
      this.#running = undefined;
    }
    view.end(this.session.id, outcome);
    return outcome;
  }

  /** Stops the running turn; false if there is none or it is already stopping. */
  stop(): boolean {
    if (!this.#running || this.#running.signal.aborted) return false;
    this.#running.abort();
    return true;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Lets surfaces with data outside the session write their handoff. */
  async end(): Promise<void> {
    const { agent, view } = this.options;
    await agent.end(this.session.id).result.catch((error: Error) => view.notice(error.message));
  }

  /** Goes on with the same memory in a new session; the old one, which is returned, keeps the conversation. */
  async clear(): Promise<Session> {
    const old = this.session;
    await this.end();
    this.session = await carryOver(this.options.memory, old);
    return old;
  }

  /** How full the context is, and the same in one line. */
  async fill(): Promise<{ usage: Usage; line: string }> {
    const { agent, contextWindow, compactAt } = this.options;
    const usage = await agent.usage(this.session.id);
    const share = percent(usage.total / contextWindow);
    const line = `${share} of ${count(contextWindow)} tokens, compaction at ${percent(compactAt)}`;
    return { usage, line };
  }
}

/** A turn that was cut off is not a success. */
function outcomeOf(result: TurnResult): Outcome {
  const errors: Record<Exclude<TurnResult["end"], "done">, string> = {
    steps: `Stopped after ${result.steps} model calls. Send "continue" to go on.`,
    length: `The answer stops at the model's output limit. Send "continue" for the rest.`,
    filtered: "The provider's content filter stopped the answer. Ask in other words.",
  };
  if (result.end === "done") return { ok: true, result };
  return { ok: false, error: errors[result.end], aborted: false, result };
}

/** Whether the last turn was interrupted: its last message is not a final answer. */
export async function isUnfinished(session: Session): Promise<boolean> {
  const { lastMessage } = (await session.state()).row.counters;
  for (let number = lastMessage; number > 0; number--) {
    const [value] = await session.messages(number, number);
    const stored = value === undefined ? undefined : toStored(number, value);
    // A reply to a compaction warning is not an answer to the user.
    if (stored && !stored.inWarning) return !isFinalAnswer(stored);
  }
  return false;
}

/** Holdfast copies for the agent, so the text counts as the agent's own. */
const asAgent = { actor: { kind: "system" as const } };

/** A new session with the memory of another one, without its conversation. Each text keeps its author. */
async function carryOver(memory: Memory, from: Session): Promise<Session> {
  const state = await from.state();
  const { title, agent } = state.row;
  const to = await memory.createSession({ agent, ...(title === null ? {} : { title }) });
  if (state.row.notepad !== null) await copyNotepad(state, to);
  const { notes, plan, refs } = await from.scratchpad.read();
  if (plan !== "") await to.scratchpad.setPlan(plan, asAgent);
  if (notes !== "") await to.apply(scratchpadWrite("notes", notes, memory.setting), asAgent);
  for (const ref of refs) await to.scratchpad.addRef(ref, asAgent);
  for (const { content, tags, by } of (await from.notes.all()).toReversed())
    await to.notes.add(content, tags, by === undefined ? asAgent : { actor: { kind: by } });
  for (const { text, by } of await from.pins.list()) await to.pins.pin(text, { actor: { kind: by } });
  return to;
}

/** Writes the agent's lines first, and then each stretch of another author's as that author. */
async function copyNotepad(state: State, to: Session): Promise<void> {
  const lines = linesIn(state, "notepad");
  const foreign = foreignLines(state, "notepad");
  const withFirst = (count: number) =>
    lines
      .filter((_line, index) =>
        foreign.slice(count).every(({ from, to: last }) => index + 1 < from || index + 1 > last),
      )
      .join("\n");
  await to.notepad.write(withFirst(0), asAgent);
  for (const [index, { by }] of foreign.entries())
    await to.notepad.write(withFirst(index + 1), { actor: { kind: by } });
}
