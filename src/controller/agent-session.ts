import type { ModelMessage, ToolSet } from "ai";
import { asSchema, jsonSchema, tool } from "ai";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import { type Checkpoint, readEpoch, readSpans } from "../engine/conversation.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { NotepadOperation } from "../engine/notepad.ts";
import { revertChanges, type State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { Tool } from "../tools/define-tool.ts";
import { schemaOf } from "../tools/dispatch.ts";
import { type AgentToolbox, dotless } from "../tools/toolbox.ts";
import {
  fromStored,
  isFinalAnswer,
  messageOfCall,
  type StoredMessage,
  spokenText,
  toStored,
} from "./conversation.ts";
import type { AgentOptions } from "./options.ts";
import { applyEdit, type MemoryView, viewOf } from "./plan-changes.ts";
import { type Placement, type Prompt, planPrompt } from "./plan-prompt.ts";
import type { CompactionPolicy, Usage } from "./plan-usage.ts";

/** What every part of a turn needs of the agent. */
export interface AgentSetting {
  options: Omit<AgentOptions, "memory">;
  toolbox: AgentToolbox;
  placement: Placement;
  policy: CompactionPolicy;
  base: string;
  tokenizer: CalibratedTokenizer;
  countTokens: (text: string) => number;
  clock: () => number;
}

export function makeTokenizer(countTokens: (text: string) => number): CalibratedTokenizer {
  return calibratedTokenizer(cachedTokenizer({ name: "agent", count: countTokens }));
}

export interface PromptNow {
  steer: string;
  prompt: Prompt;
  usage: Usage;
  state: State;
  messages: readonly StoredMessage[];
}

/** The conversation of one session as the controller holds it: read once, then only what is new. */
export class AgentSession {
  readonly session: Session;
  readonly #setting: AgentSetting;
  #messages: StoredMessage[] = [];
  /** Messages up to this one are summarised and not held. */
  #summarised = 0;
  #prompt: PromptNow | undefined;
  #shown: { epoch: number; placed: number; view: MemoryView } | undefined;
  /** The revision up to which others' edits have been looked for. */
  #asked = 0;
  /** The agent's own edits of the notepad since the model was last shown it, each with the message that holds its call. */
  #own: { placed: number; edits: { message: number; operation: NotepadOperation }[] } = {
    placed: -1,
    edits: [],
  };

  constructor(session: Session, setting: AgentSetting) {
    this.session = session;
    this.#setting = setting;
  }

  /** The messages since the last summary, in order. */
  async messages(state?: State): Promise<readonly StoredMessage[]> {
    const { row, ...rest } = state ?? (await this.session.state());
    const summary = readSpans({ row, ...rest }).find(([, { kind }]) => kind === "summary")?.[1];
    const first = (summary?.to ?? 0) + 1;
    if (first !== this.#summarised + 1) {
      this.#summarised = first - 1;
      this.#messages = this.#messages.filter(({ number }) => number >= first);
    }
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (next <= row.counters.lastMessage) {
      const values = await this.session.messages(next, row.counters.lastMessage);
      values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
    }
    return this.#messages;
  }

  /** What the agent answered last; undefined while the user still waits for an answer. */
  async lastAnswer(): Promise<string | undefined> {
    const { row } = await this.session.state();
    for (let number = row.counters.lastMessage; number > 0; number--) {
      const [value] = await this.session.messages(number, number);
      const stored = value === undefined ? undefined : toStored(number, value);
      if (stored?.aside) continue;
      return stored && isFinalAnswer(stored) ? spokenText(stored.message) : undefined;
    }
    return "";
  }

  async add(messages: readonly ModelMessage[], aside = false): Promise<void> {
    if (messages.length === 0) return;
    const at = this.#setting.clock();
    const values = messages.map((message) => fromStored(message, at, aside));
    const { result } = await this.session.apply({ type: "messages.add", messages: values });
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (result.first === next)
      values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
  }

  /** Holds a warning turn. Whoever keeps the conversation elsewhere leaves out here what was said in it. */
  async aside(work: () => Promise<void>): Promise<void> {
    await work();
  }

  /** What the model has been shown of the memory; worked out from the journal only by a process that did not show it. */
  async shown(state: State): Promise<MemoryView> {
    const { placed, number } = readEpoch(state);
    if (this.#shown?.epoch === number && this.#shown.placed === placed) return this.#shown.view;
    let past = state;
    for (const entry of await this.session.history({ from: placed + 1, to: state.row.revision }))
      past = revertChanges(past, entry.changes);
    this.#shown = { epoch: number, placed, view: this.view(past) };
    return this.#shown.view;
  }

  view(state: State): MemoryView {
    return viewOf(this.#setting.toolbox.context(state), state.row.notepad ?? "");
  }

  /** Whether anything was written, since the last time this was asked, that the agent cannot see in its tool calls. */
  async wroteUnseen(state: State): Promise<boolean> {
    const from = Math.max(readEpoch(state).placed, this.#asked) + 1;
    this.#asked = state.row.revision;
    if (from > state.row.revision) return false;
    const entries = await this.session.history({ from, to: state.row.revision, newestFirst: false });
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
   * The notepad as the model would work it out: what it was shown, and then its own calls that it can still see. It is
   * wrong when somebody took back such an edit, although nothing differs then from what was shown.
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
      .reduce((text, { operation }) => applyEdit(text, operation), notepad);
  }

  /** What was written down before the last compaction. */
  async lastCheckpoint(state: State): Promise<Checkpoint | undefined> {
    const { number } = readEpoch(state);
    const known = (await this.session.records("checkpoint")).map(
      ({ value }) => value as unknown as Checkpoint,
    );
    return known
      .filter(({ epoch }) => epoch < number)
      .sort((a, b) => a.epoch - b.epoch)
      .at(-1);
  }

  /** What a model call would be given now. Worked out once for each state. */
  async prompt(steer = ""): Promise<PromptNow> {
    const state = await this.session.state();
    if (this.#prompt?.state === state && this.#prompt.steer === steer) return this.#prompt;
    const messages = await this.messages(state);
    const { toolbox, base, placement } = this.#setting;
    const prompt = planPrompt({ state, context: toolbox.context(state), messages, base, placement, steer });
    this.#prompt = { steer, prompt, usage: this.usage(prompt), state, messages };
    return this.#prompt;
  }

  /** Tokens of a prompt by part; the parts add up to the total. */
  usage({ system, messages, added }: Prompt): Usage {
    const { tokenizer, policy, base, toolbox, options, countTokens } = this.#setting;
    const count = (text: string) => tokenizer.count(text);
    let history = 0;
    let results = 0;
    for (const message of messages) {
      const tokens = messageTokens(message, countTokens) * tokenizer.ratio;
      if (message.role === "tool") results += tokens;
      else history += tokens;
    }
    const put = Math.min(
      Math.round(history),
      added.reduce((sum, text) => sum + count(text), 0),
    );
    const parts = {
      system: count(base),
      tools: count(definitionsText(toolbox.tools)) + count(ownDefinitionsText(options.tools ?? {})),
      memory: Math.max(0, count(system) - count(base)) + put,
      history: Math.round(history) - put,
      results: Math.round(results),
    };
    const total = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
    return { ...parts, free: Math.max(0, policy.contextWindow - total), total };
  }
}

/** What others wrote, what a program wrote in the agent's name, and the end of a task, which hides the calls before it. */
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

const messageSizes = new WeakMap<object, number>();

/** Counted once per message: stored messages never change. */
export function messageTokens(message: ModelMessage, countTokens: (text: string) => number): number {
  const known = messageSizes.get(message);
  if (known !== undefined) return known;
  const tokens =
    countTokens(typeof message.content === "string" ? message.content : JSON.stringify(message.content)) + 4;
  messageSizes.set(message, tokens);
  return tokens;
}

const definitions = new WeakMap<readonly Tool[], string>();

function definitionsText(tools: readonly Tool[]): string {
  let text = definitions.get(tools);
  if (text === undefined) {
    text = tools
      .map(
        ({ name, description, input }) =>
          `${name} ${description} ${JSON.stringify(schemaOf(input, "input"))}`,
      )
      .join("\n");
    definitions.set(tools, text);
  }
  return text;
}

const ownDefinitions = new WeakMap<ToolSet, string>();

function ownDefinitionsText(tools: ToolSet): string {
  let text = ownDefinitions.get(tools);
  if (text === undefined) {
    text = Object.entries(tools)
      .map(
        ([name, { description, inputSchema }]) =>
          `${name} ${description ?? ""} ${JSON.stringify(asSchema(inputSchema).jsonSchema)}`,
      )
      .join("\n");
    ownDefinitions.set(tools, text);
  }
  return text;
}

const toolSets = new WeakMap<readonly Tool[], ToolSet>();

/** Memory tools in the AI SDK's form, without dots in their names and without anything to run. */
export function memoryToolSet(tools: readonly Tool[]): ToolSet {
  let set = toolSets.get(tools);
  if (!set) {
    set = Object.fromEntries(
      tools.map(({ name, description, input }) => [
        dotless(name),
        tool({ description, inputSchema: jsonSchema(schemaOf(input, "input")) }),
      ]),
    );
    toolSets.set(tools, set);
  }
  return set;
}
