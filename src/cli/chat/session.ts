import type { Agent, SendOptions, Turn } from "../../agent/agent.ts";
import { isFinalAnswer, toStored } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import { oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { statusLine } from "./lines.ts";
import { type ChosenModel, describeFailure } from "./model.ts";
import type { Outcome, View } from "./view.ts";

export interface ChatSetting {
  memory: Memory;
  agent: Agent;
  view: View;
  model: ChosenModel;
  contextWindow: number;
}

/** One conversation at the command line: the session it is in, and the turn that is running. */
export class Chat {
  readonly setting: ChatSetting;
  session: Session;
  #running: AbortController | undefined;

  constructor(setting: ChatSetting, session: Session) {
    this.setting = setting;
    this.session = session;
  }

  async send(text: string): Promise<Outcome> {
    const { row } = await this.session.state();
    // The first prompt is what a list of sessions can be read by.
    if (row.title === null) await this.session.apply({ type: "session.rename", title: oneLine(text, 60) });
    return this.run((options) => this.setting.agent.send(this.session.id, text, options));
  }

  /** Shows a turn until it ends, well or not. */
  async run(start: (options: SendOptions) => Turn): Promise<Outcome> {
    const { view, model } = this.setting;
    const controller = new AbortController();
    this.#running = controller;
    let outcome: Outcome;
    try {
      const turn = start({ signal: controller.signal });
      for await (const event of turn) view.event(event);
      outcome = { ok: true, result: await turn.result };
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

  /** Stops the running turn; false when there is nothing left to stop. */
  stop(): boolean {
    if (!this.#running || this.#running.signal.aborted) return false;
    this.#running.abort();
    return true;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  async status(): Promise<string> {
    const { agent, contextWindow } = this.setting;
    const usage = await agent.usage(this.session.id);
    const state = await this.session.state();
    return statusLine({
      usage,
      contextWindow,
      epoch: readEpoch(state).number,
      notepad: state.row.notepad ?? "",
    });
  }
}

/** Whether a turn was cut off: what stands last is not the answer that the user was owed. */
export async function isUnfinished(session: Session): Promise<boolean> {
  const { lastMessage } = (await session.state()).row.counters;
  for (let number = lastMessage; number > 0; number--) {
    const [value] = await session.messages(number, number);
    const stored = value === undefined ? undefined : toStored(number, value);
    // What was said to a compaction warning is no answer to the user.
    if (stored && !stored.aside) return !isFinalAnswer(stored);
  }
  return false;
}
