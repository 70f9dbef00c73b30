import type { ModelMessage } from "ai";
import { AgentSession, inPrompt, type PromptNow, type PromptView } from "../../agent/conversation.ts";
import type { AgentConfig } from "../../agent/options.ts";
import type { TurnRun } from "../../agent/run.ts";
import { showChanges } from "../../agent/shown.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { planPrompt } from "../../context/prompt.ts";
import type { Json } from "../../engine/json.ts";
import { Queue } from "../../engine/queue.ts";
import type { State } from "../../engine/state.ts";
import type { Session } from "../../sessions/session.ts";
import type { Toolbox } from "../../surfaces/toolbox.ts";
import { FileBytes, KnownMessages } from "./known-messages.ts";

/**
 * A conversation owned by the caller, who passes its messages with every call. The session stores each message once,
 * under a number that the controller's plans refer to. The caller's list is never changed.
 */
export class CallerSession extends AgentSession {
  readonly #config: AgentConfig;
  readonly conversation: CallerConversation;
  #list: StoredMessage[] = [];

  constructor(session: Session, config: AgentConfig) {
    super(session, config);
    this.#config = config;
    this.conversation = conversationOf(session);
    this.conversation.toolbox = config.toolbox;
  }

  /**
   * Syncs with the caller's list: stores its new messages, and shows memory changes before a new user message.
   * `makeRoom` is called before a new user message is added.
   */
  async follow(
    run: TurnRun,
    messages: readonly ModelMessage[],
    makeRoom: (message: ModelMessage) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    await this.#begin(run);
    const { known, bytes } = this.conversation;
    await known.catchUp(this.session);
    const numbers = known.align(messages);
    this.#list = numbers.map((number, index) => ({
      number,
      message: bytes.without(messages[index] as ModelMessage),
      at: known.at(number),
    }));
    const fresh = messages.slice(numbers.length);
    const lastUser = fresh.findLastIndex(({ role }) => role === "user");
    if (lastUser !== -1) {
      await this.add(fresh.slice(0, lastUser));
      await showChanges(run);
      await makeRoom(fresh[lastUser] as ModelMessage);
    }
    await this.add(fresh.slice(Math.max(0, lastUser)));
  }

  /** Every message of the caller's list, including summarized ones. */
  get list(): readonly StoredMessage[] {
    return this.#list;
  }

  override async messages(state?: State): Promise<readonly StoredMessage[]> {
    const now = state ?? (await this.session.state());
    return inPrompt(this.#list, now);
  }

  override async add(messages: readonly ModelMessage[], inWarning = false): Promise<void> {
    if (messages.length === 0) return;
    const first = await this.store(messages, inWarning);
    messages.forEach((message, index) => {
      this.#list.push({
        number: first + index,
        message: this.conversation.bytes.without(message),
        at: this.#config.clock(),
        ...(inWarning ? { inWarning } : {}),
      });
    });
  }

  /** Stores messages without adding them to the list; returns the number of the first. */
  async store(messages: readonly ModelMessage[], inWarning = false): Promise<number> {
    const at = this.#config.clock();
    const values = messages.map((message) =>
      toStorable(this.conversation.bytes.without(message), at, inWarning),
    );
    const { result } = await this.session.apply(this.addOperation(values));
    return result.first;
  }

  /** The prompt for the model, without counting its tokens. */
  async plan({ steer = "", base }: PromptView): Promise<Omit<PromptNow, "usage">> {
    const state = await this.session.state();
    const messages = await this.messages(state);
    const { placement } = this.#config;
    const context = this.context(state);
    return {
      view: { steer, base },
      context,
      prompt: planPrompt({ state, context, messages, base, placement, steer }),
      state,
      messages,
    };
  }

  /** Not cached: the same state can be combined with another list. */
  override async prompt(view: PromptView): Promise<PromptNow> {
    const planned = await this.plan(view);
    return { ...planned, usage: this.usage(planned.prompt, view.base) };
  }

  async #begin({ emit }: TurnRun): Promise<void> {
    if (!this.conversation.isStarted) {
      this.conversation.isStarted = true;
      await this.notify({ kind: "session-start" }, emit);
    }
    await this.openSnapshot();
  }
}

/** Stores reject NUL, and a tool result may contain it. */
function toStorable(message: ModelMessage, at: number, inWarning: boolean): Json {
  const plain = (_: string, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value;
  return JSON.parse(JSON.stringify({ message, at, ...(inWarning ? { inWarning } : {}) }, plain)) as Json;
}

/** State of one session, shared by all that an adapter makes for it. */
export class CallerConversation {
  readonly known = new KnownMessages();
  readonly bytes = new FileBytes();
  /** Work on the conversation runs one piece at a time, whichever part does it. */
  readonly queue = new Queue();
  /** Whether the surfaces know that work on the session has begun. */
  isStarted = false;
  /** The surfaces of the adapter that was made last. */
  toolbox: Toolbox | undefined;
  /** Tokens that the next call is expected to take, as counted before it; 0 if it was not counted. */
  expected = 0;
  /** The SDK passes its signal to models but not to `prepareStep`; all steps of a call share one signal. */
  signal: AbortSignal | undefined;
}

const key = Symbol("the caller's conversation");

export function conversationOf(session: Session): CallerConversation {
  return session.companion(key, () => new CallerConversation());
}
