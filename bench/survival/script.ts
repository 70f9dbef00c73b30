import type { ScriptedAnswer, ScriptedRequest } from "../../src/testing/index.ts";
import { type Fact, judge } from "./facts.ts";
import { contextOf, textOf, tokensIn, tokensOf } from "./request-text.ts";
import type { Story, StoryTurn } from "./story.ts";
import { leadOf, type Summariser } from "./summarisers.ts";
import type { Question, RequestKind, System, ToolCall } from "./system.ts";

export interface ScriptOptions {
  story: Story;
  summariser: Summariser;
  system: System;
  window: number;
  compactions: number;
  /** Whether the agent writes down what it is told. */
  takesNotes: boolean;
}

/** How far a fact was when the agent looked for it. */
export type Found = "one call" | "further";

const probeText = "Before you go on: tell me what you know about the open points.";

/** A prompt that is at most this share of the last one has lost messages. */
const shrunk = 0.8;

interface Progress {
  turn: StoryTurn;
  /** Calls that are still to be made. */
  calls: (ToolCall & { says?: string })[];
  readAgain: Set<string>;
}

/** A request that was not too long, and what it asked for. */
export interface SeenRequest {
  kind: RequestKind;
  request: ScriptedRequest;
}

/** The model: it reads a request like any model would, and answers by the story. */
export class Script {
  readonly seen: SeenRequest[] = [];
  /** The context of the first request of the probe, as the model saw it. */
  probed: ScriptedRequest | undefined;
  readonly found = new Map<string, Found>();
  /** Requests for a summary that fit, answered or not. */
  summaries = 0;
  /** How often a summary was answered between two steps, or the prompt shrank without one. */
  compactions = 0;
  /** Whether the last request of the turn got the answer that ends the turn. */
  isAnswered = false;
  /** Why the turn has no answer: the last error that it got, or the first one of a summary. */
  refusal: string | undefined;
  overflows = 0;
  repeatedReads = 0;
  outputBytes = 0;
  readonly #options: ScriptOptions;
  #progress: Progress | undefined;
  /** The user's last message. */
  #said = "";
  #size = 0;
  /** Since the last step. */
  #summary: "none" | "failed" | "answered" = "none";
  readonly #leads: readonly string[];
  #probe: { waiting: Fact[]; asked: Fact | undefined; results: string[] } | undefined;

  constructor(options: ScriptOptions) {
    this.#options = options;
    const { turns, more } = options.story;
    this.#leads = [
      ...new Set(
        [...turns, ...more].flatMap(({ user, steps, answer }) =>
          [user, ...steps.flatMap(({ input, result }) => [...Object.values(input), result]), answer].map(
            leadOf,
          ),
        ),
      ),
    ].filter((lead) => lead.includes(" ") && !lead.startsWith("const "));
  }

  static readonly probeText = probeText;

  /** Calls of the turn that the model has made. */
  get callsMade(): number {
    const { turn, calls } = this.#progress ?? {};
    return turn && calls ? Math.max(0, turn.steps.length - calls.length) : 0;
  }

  /** Whether a summary was answered since the last step. */
  get isSummarised(): boolean {
    return this.#summary === "answered";
  }

  begin(turn: StoryTurn): void {
    this.isAnswered = false;
    this.refusal = undefined;
    this.#said = turn.user;
    const { system, takesNotes } = this.#options;
    const calls: Progress["calls"] = turn.steps.map(({ tool, input, says = "" }) => ({
      name: tool,
      input,
      says,
    }));
    if (takesNotes && turn.note !== undefined && system.note)
      calls.push(...turn.note.split("\n").flatMap((line) => this.#noteCall(line) ?? []));
    this.#progress = { turn, calls, readAgain: new Set() };
  }

  /** The user asks for the rest of a turn that broke off. */
  goOn(text: string): void {
    this.isAnswered = false;
    this.refusal = undefined;
    this.#said = text;
  }

  /** An agent that keeps its notes in order replaces what it wrote about the same thing. */
  readonly #noted = new Map<string, string>();

  #noteCall(line: string): ToolCall | undefined {
    const key = keyOf(line);
    const old = this.#noted.get(key);
    this.#noted.set(key, line);
    return this.#options.system.note?.(line, old, [...this.#noted.values()]);
  }

  /** The next turn asks for every fact. */
  beginProbe(): void {
    this.isAnswered = false;
    this.refusal = undefined;
    this.#progress = undefined;
    this.#said = probeText;
    this.#probe = { waiting: [], asked: undefined, results: [] };
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
      code: "context_length_exceeded",
      error: `This model's maximum context length is ${this.#options.window} tokens. However, your messages resulted in ${size} tokens.`,
    };
  }

  /** The outcome of the turn and of the summaries, as the model sees it. */
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
    this.seen.push({ kind, request });
    if (kind === "summary") return this.#summarise(request);
    if (kind === "other") return { text: "Understood." };
    if (this.#isCompacted(size)) this.compactions++;
    this.#size = size;
    this.#summary = "none";
    return this.#probe ? this.#lookUp(request) : this.#work(request);
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
    const { summariser, system } = this.#options;
    const answer = summariser.answer(said, this.summaries++);
    return "text" in answer && answer.text !== undefined && system.formatSummary
      ? { ...answer, text: system.formatSummary(answer.text) }
      : answer;
  }

  #work(request: ScriptedRequest): ScriptedAnswer {
    const progress = this.#progress;
    if (!progress) return { text: "Understood." };
    const { turn, readAgain } = progress;
    const context = contextOf(request);
    const missing = (turn.needs ?? []).find(
      (need) => !readAgain.has(need.path) && !judge(context, need).bound,
    );
    if (missing) {
      readAgain.add(missing.path);
      this.repeatedReads++;
      return { toolCalls: [{ name: "view_file", input: { path: missing.path } }] };
    }
    const call = progress.calls.shift();
    if (turn.isProbed && (!call || this.compactions >= this.#options.compactions)) {
      this.beginProbe();
      return this.#lookUp(request);
    }
    if (!call) return { text: turn.answer };
    const { name, input, says = "" } = call;
    return { toolCalls: [{ name, input }], ...(says === "" ? {} : { text: says }) };
  }

  /** Looks for every fact that is not in the context, with one call each and then with a second one. */
  #lookUp(request: ScriptedRequest): ScriptedAnswer {
    const probe = this.#probe;
    if (!probe) return { text: "Understood." };
    const { system, story } = this.#options;
    if (!this.probed) {
      this.probed = request;
      const context = contextOf(request);
      probe.waiting = system.lookUp ? story.facts.filter((fact) => !judge(context, fact).bound) : [];
    }
    const { asked, results } = probe;
    if (asked) {
      const result = request.messages.at(-1);
      results.push(result?.role === "tool" ? textOf(result) : "");
      if (judge(results.join("\n"), asked).bound)
        this.found.set(asked.id, results.length === 1 ? "one call" : "further");
      else if (results.length === 1) {
        const next = system.lookFurther?.(questionOf(asked), results.join("\n"));
        if (next) return { toolCalls: [next] };
      }
    }
    for (;;) {
      const fact = probe.waiting.shift();
      probe.asked = undefined;
      if (!fact) return { text: "That is all that I know." };
      const call = system.lookUp?.(questionOf(fact), contextOf(this.probed));
      if (!call) continue;
      probe.asked = fact;
      probe.results = [];
      return { toolCalls: [call] };
    }
  }
}

/** undefined if the model has answered. */
function errorOf(answer: ScriptedAnswer): string | undefined {
  if ("hangUp" in answer) return "the connection was closed without an answer";
  return "status" in answer ? answer.error : undefined;
}

function questionOf({ subject, relation, status }: Fact): Question {
  return { subject, relation: status ? "" : (relation[0] ?? "") };
}

/** The subject of a line: without its value and status. */
function keyOf(line: string): string {
  const work = /^(?:- \[.\]|cancelled:) (.+)$/.exec(line)?.[1];
  const agent = /^agent (\S+)/.exec(line)?.[1];
  return work ?? agent ?? line.replace(/(?:is|port) \S+(?: days| seconds)?\.?$/, "");
}
