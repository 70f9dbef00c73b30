import type { Agent, SendOptions, Turn } from "../../agent/agent.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { Usage } from "../../compaction/usage.ts";
import { isFinalAnswer, toStored } from "../../context/conversation.ts";
import { oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
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

/** How full the context is. */
export interface Fill {
  usage: Usage;
  /** In one line; the prompt line and `/context` show it. */
  line: string;
}

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
    view.begin();
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

  async fill(): Promise<Fill> {
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
