import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/index.ts";
import { contextOf, textOf, tokensIn, tokensOf } from "./request-text.ts";
import type { Mark, Story, StoryTurn } from "./story.ts";
import type { RequestKind, System, ToolCall } from "./system.ts";

interface ScriptOptions {
  story: Story;
  system: System;
  window: number;
}

const probeText = "Before you go on: tell me what you know about the open points.";

/** A prompt that is at most this share of the last one has lost messages. */
const shrunk = 0.8;

interface Progress {
  turn: StoryTurn;
  /** Calls that are still to be made. */
  calls: ToolCall[];
}

/** The model: it reads a request like any model would, and answers by the story. */
export class Script {
  /** The requests that were not too long. */
  readonly seen: ScriptedRequest[] = [];
  /** The context of the first request of the probe, as the model saw it. */
  probed: ScriptedRequest | undefined;
  /** The marks that the agent has found with one call. */
  readonly found = new Set<Mark>();
  /** How often a summary was answered between two steps, or the prompt shrank without one. */
  compactions = 0;
  /** Whether the last request of the turn got the answer that ends the turn. */
  isAnswered = false;
  /** Why the turn has no answer: the last error that it got, or the first one of a summary. */
  refusal: string | undefined;
  overflows = 0;
  outputBytes = 0;
  readonly #options: ScriptOptions;
  #progress: Progress | undefined;
  /** The user's last message. */
  #said = "";
  #size = 0;
  /** Since the last step. */
  #summary: "none" | "failed" | "answered" = "none";
  readonly #leads: readonly string[];
  #probe: { waiting: Mark[]; asked: Mark | undefined } | undefined;

  constructor(options: ScriptOptions) {
    this.#options = options;
    const { turns, more } = options.story;
    this.#leads = [...new Set([...turns, ...more].flatMap(({ user, answer }) => [user, answer].map(leadOf)))];
  }

  static readonly probeText = probeText;

  /** Whether a summary was answered since the last step. */
  get isSummarised(): boolean {
    return this.#summary === "answered";
  }

  begin(turn: StoryTurn): void {
    this.isAnswered = false;
    this.refusal = undefined;
    this.#said = turn.user;
    const calls: ToolCall[] = [{ name: "view_file", input: { path: turn.path } }];
    const { note } = this.#options.system;
    if (turn.note !== undefined && note) {
      this.#noted.push(turn.note);
      calls.push(note(turn.note, this.#noted));
    }
    this.#progress = { turn, calls };
  }

  readonly #noted: string[] = [];

  /** The next turn asks for every mark. */
  beginProbe(): void {
    this.isAnswered = false;
    this.refusal = undefined;
    this.#progress = undefined;
    this.#said = probeText;
    this.#probe = { waiting: [], asked: undefined };
  }

  answer(request: ScriptedRequest): ScriptedAnswer {
    const kind = this.kindOf(request);
    const size = tokensOf(request);
    const answer = size > this.#options.window ? this.#refuse(size) : this.#decide(kind, request, size);
    this.#note(kind, answer);
    if ("hangUp" in answer || "status" in answer) return answer;
    const text = `${answer.text ?? ""}${JSON.stringify(answer.toolCalls ?? [])}`;
    this.outputBytes += Buffer.byteLength(text);
    return { ...answer, usage: { input: size, output: tokensIn(text) } };
  }

  #refuse(size: number): ScriptedAnswer {
    this.overflows++;
    return {
      status: 400,
      code: "consummarylength_exceeded",
      error: `This model's maximum context length is ${this.#options.window} tokens. However, your messages resulted in ${size} tokens.`,
    };
  }

  /** Whether the turn and its summaries were answered, as the model sees it. */
  #note(kind: RequestKind, answer: ScriptedAnswer): void {
    const error = errorOf(answer);
    if (error !== undefined && (kind === "turn" || this.refusal === undefined)) this.refusal = error;
    if (kind === "turn") this.isAnswered = "text" in answer && !answer.toolCalls?.length;
    if (kind === "summary" && this.#summary !== "answered")
      this.#summary = error === undefined ? "answered" : "failed";
  }

  kindOf(request: ScriptedRequest): RequestKind {
    return this.#options.system.kindOf?.(request) ?? (this.#isTurn(request) ? "turn" : "summary");
  }

  #decide(kind: RequestKind, request: ScriptedRequest, size: number): ScriptedAnswer {
    this.seen.push(request);
    if (kind === "summary") return this.#summarise(request);
    if (kind === "other") return { text: "Understood." };
    if (this.#isCompacted(size)) this.compactions++;
    this.#size = size;
    this.#summary = "none";
    return this.#probe ? this.#lookUp(request) : this.#work();
  }

  /** A summary that failed makes no room by itself, but some systems go on without one. */
  #isCompacted(size: number): boolean {
    if (this.#summary === "answered") return true;
    const needsNone = this.#options.system.summarises === false || this.#summary === "failed";
    return needsNone && size < this.#size * shrunk;
  }

  #isTurn({ messages, tools = [] }: ScriptedRequest): boolean {
    if (!tools.some(({ function: { name } }) => name === "view_file")) return false;
    if (messages.at(-1)?.role === "tool") return true;
    const last = messages.findLast(({ role }) => role === "user");
    return last !== undefined && textOf(last).trimEnd().endsWith(this.#said);
  }

  #summarise(request: ScriptedRequest): ScriptedAnswer {
    const text = contextOf(request);
    const said = this.#leads.filter((lead) => text.includes(lead));
    const summary = newest(said);
    return { text: this.#options.system.formatSummary?.(summary) ?? summary };
  }

  #work(): ScriptedAnswer {
    const call = this.#progress?.calls.shift();
    return call ? { toolCalls: [call] } : { text: this.#progress?.turn.answer ?? "Understood." };
  }

  /** Looks for every mark that is not in the context, with one call each. */
  #lookUp(request: ScriptedRequest): ScriptedAnswer {
    const probe = this.#probe;
    if (!probe) return { text: "Understood." };
    const { system, story } = this.#options;
    if (!this.probed) {
      this.probed = request;
      const context = contextOf(request);
      probe.waiting = system.lookUp ? story.marks.filter(({ number }) => !context.includes(number)) : [];
    }
    const result = request.messages.at(-1);
    if (probe.asked && result?.role === "tool" && textOf(result).includes(probe.asked.number))
      this.found.add(probe.asked);
    for (;;) {
      probe.asked = probe.waiting.shift();
      if (!probe.asked) return { text: "That is all that I know." };
      const call = system.lookUp?.(probe.asked.subject, contextOf(this.probed));
      if (call) return { toolCalls: [call] };
    }
  }
}

/** undefined if the model has answered. */
function errorOf(answer: ScriptedAnswer): string | undefined {
  if ("hangUp" in answer) return "the connection was closed without an answer";
  return "status" in answer ? answer.error : undefined;
}

/** The first sentence of a message, or its first line. */
function leadOf(text: string): string {
  const [lead = ""] = text.trim().split(/(?<=[.!?])\s+|\n/);
  return lead.slice(0, 300);
}

const summaryCharacters = 2_400;

/** The summary in place of a model's: the first sentence of every message, the newest that fit into 600 tokens. */
function newest(sentences: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const sentence of sentences.toReversed()) {
    length += sentence.length + 1;
    if (length > summaryCharacters) break;
    kept.unshift(sentence);
  }
  return kept.join("\n");
}
