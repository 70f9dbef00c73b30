import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { warnFrom } from "../../compaction/usage.ts";
import type { Placement } from "../../context/blocks.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { objectIn, parseObject, textIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { readWorkspaceConfig, settingValue } from "../../workspace/config.ts";
import { findProject, makeProjectDirectory, type Project } from "../../workspace/project.ts";
import { failureReporter } from "../failures.ts";
import { readHookState } from "../hook/state.ts";
import { ownProcess } from "../processes.ts";
import { runProgram } from "../run-program.ts";
import { linkSession, sessionIdOf } from "../session-link.ts";
import { countIn } from "../transcript/json-files.ts";

/** The part of opencode's API that the plugin uses, typed structurally. */
export interface OpencodeInput {
  directory: string;
  client?: {
    session?: {
      messages?(request: { path: { id: string } }): Promise<{ data?: unknown }>;
    };
  };
}

export interface OpencodeMessage {
  info: { id: string; sessionID: string; role: string; [field: string]: unknown };
  parts: OpencodePart[];
}

export interface OpencodePart {
  id: string;
  messageID: string;
  sessionID: string;
  type: string;
  [field: string]: unknown;
}

export interface OpencodeHooks {
  config(config: Record<string, unknown>, output?: unknown): Promise<void>;
  event(
    input: { event: { type: string; properties?: Record<string, unknown> } },
    output?: unknown,
  ): Promise<void>;
  "chat.message"(input: { sessionID: string }, output: { message: { id: string } }): Promise<void>;
  "chat.params"(
    input: { sessionID: string; model?: { limit?: { context?: number; input?: number; output?: number } } },
    output?: unknown,
  ): Promise<void>;
  "tool.execute.before"(input: { tool: string; sessionID: string }, output?: unknown): Promise<void>;
  "experimental.chat.messages.transform"(
    input: unknown,
    output: { messages: OpencodeMessage[] },
  ): Promise<void>;
  "experimental.chat.system.transform"(
    input: { sessionID?: string },
    output: { system: string[] },
  ): Promise<void>;
  "experimental.session.compacting"(
    input: { sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
  /** opencode waits for it before it ends. */
  dispose(): Promise<void>;
}

/**
 * The plugin of a host of this family: puts memory into every model call, tells the summarizer what to keep, and links
 * the MCP server to the session.
 */
export function createPlugin(host: string): (input: OpencodeInput) => Promise<OpencodeHooks> {
  return async (input) => hooksOf(new OpencodePlugin(host, input), failureReporter(host), input);
}

function hooksOf(
  plugin: OpencodePlugin,
  report: ReturnType<typeof failureReporter>,
  input: OpencodeInput,
): OpencodeHooks {
  const reporting =
    <Input, Output>(name: string, handle: (input: Input, output: Output) => Promise<void>) =>
    async (hookInput: Input, output: Output): Promise<void> => {
      try {
        await handle(hookInput, output);
      } catch (error) {
        report(name, error, input.directory);
      }
    };
  const end = reporting("end", (id: string) => plugin.endSession(id));
  const endAll = async () => {
    await Promise.all(plugin.openSessions.map((id) => end(id, undefined)));
  };
  return {
    config: reporting("config", async (config) => plugin.configure(config)),
    event: reporting("event", async ({ event }) => {
      if (event.type === "server.instance.disposed") return endAll();
      const id = event.properties?.sessionID ?? objectIn(event.properties?.info).id;
      if (typeof id !== "string") return;
      if (event.type === "session.deleted") await end(id, undefined);
      else if (["session.compacted", "session.error", "session.idle"].includes(event.type))
        plugin.endCompaction(id, event.type === "session.compacted");
    }),
    "chat.message": reporting("chat.message", ({ sessionID }, { message }) =>
      plugin.onMessage(sessionID, message.id),
    ),
    "chat.params": reporting("chat.params", async ({ sessionID, model }) =>
      plugin.noteWindow(sessionID, model?.limit ?? {}),
    ),
    "tool.execute.before": reporting("tool.execute.before", async ({ tool, sessionID }) => {
      // Our own tools, under the names that the hosts give to the tools of the server "holdfast".
      if (/(?:^|_)holdfast_/i.test(tool)) plugin.link(sessionID);
    }),
    "experimental.chat.messages.transform": reporting("chat.messages.transform", (_input, { messages }) =>
      plugin.placeMemory(messages),
    ),
    "experimental.chat.system.transform": reporting(
      "chat.system.transform",
      async ({ sessionID }, { system }) => {
        const text = sessionID === undefined ? "" : await plugin.systemText(sessionID);
        if (text !== "") system.push(text);
      },
    ),
    "experimental.session.compacting": reporting("session.compacting", async ({ sessionID }, { context }) => {
      const keep = await plugin.beforeCompaction(sessionID);
      if (keep !== "") context.push(keep);
    }),
    dispose: endAll,
  };
}

/** The shown memory of one session's conversation. */
interface Shown {
  /** The memory. Undefined until loaded, and again after a compaction; "" if the hook failed. */
  head: string | undefined;
  /** With the placement `epoch`: changes since the last message, by the id of the message they came with. */
  news: Map<string, string>;
  source: "startup" | "resume" | "compact";
  /** The next model call is the summarizer's. */
  isCompacting: boolean;
  transcript: string;
  /** The tokens at which the host compacts; 0 until the first model call. */
  limit: number;
  /** The agent was warned since the last compaction. */
  isWarned: boolean;
  /** The messages of the last model call, without memory. The host has removed those of a deleted session before it reports the deletion. */
  messages: readonly OpencodeMessage[];
}

/** The longest answer that these hosts ask for, and what they leave for one if a model limits its input. */
const [longestAnswer, answerReserve] = [32_000, 20_000];

/** The hint of an empty notepad. */
const emptyHint = /^\(empty — use /m;

/** How long, in milliseconds, a client that is shutting down may take to return the messages of a session. */
const messagesTimeout = 1_000;

/** The sessions of one host process, and what each shows of its memory. */
export class OpencodePlugin {
  readonly #host: string;
  readonly #directory: string;
  readonly #client: OpencodeInput["client"];
  readonly #project: Project;
  readonly #askHook: typeof askHook;
  readonly #placement: Placement;
  readonly #sessions = new Map<string, Shown>();
  #command = ownCommand();
  /** The session that the MCP server uses. */
  #linked = "";

  constructor(host: string, { directory, client }: OpencodeInput, ask = askHook) {
    this.#host = host;
    this.#directory = directory;
    this.#client = client;
    this.#project = findProject(directory);
    this.#askHook = ask;
    this.#placement = settingValue(readWorkspaceConfig(this.#project), "placement") ?? "epoch";
  }

  configure(config: Record<string, unknown>): void {
    this.#command = hookCommand(config);
  }

  /** Handles a new user message. */
  async onMessage(id: string, message: string): Promise<void> {
    const shown = this.#shownTo(id);
    this.link(id);
    if (!shown.head) return this.#refresh(id);
    const { context } = await this.#ask(id, "prompt");
    if (context === "") return;
    // The hint of an empty memory is gone once something is written.
    if (this.#placement === "epoch" && !emptyHint.test(shown.head)) shown.news.set(message, context);
    else Object.assign(shown, { head: context, news: new Map() });
  }

  /** The memory for the system prompt of a call, if it goes there. */
  async systemText(id: string): Promise<string> {
    if (this.#placement !== "system") return "";
    const shown = this.#shownTo(id);
    if (shown.head === undefined) await this.#refresh(id);
    return shown.head ?? "";
  }

  /** Puts memory into the messages of one model call. */
  async placeMemory(messages: OpencodeMessage[]): Promise<void> {
    const id = messages.at(-1)?.info.sessionID;
    if (id === undefined) return;
    const shown = this.#shownTo(id);
    const isForSummary = shown.isCompacting;
    shown.isCompacting = false;
    if (isForSummary) return;
    // The turn that the host starts after a compaction has no new message.
    if (shown.head === undefined) await this.#refresh(id);
    shown.messages = messages.map(({ info, parts }) => ({ info, parts: [...parts] }));
    placeText(messages, shown, this.#placement);
    const warning = await this.#warning(id, shown);
    if (warning !== "") addUserText(messages, warning);
  }

  /** Keeps the limit that follows from the model's window and the longest answer that the host asks for. */
  noteWindow(
    id: string,
    { context = 0, input = 0, output = 0 }: { context?: number; input?: number; output?: number },
  ): void {
    const answer = Math.min(output || longestAnswer, longestAnswer);
    this.#shownTo(id).limit = Math.max(0, input > 0 ? input - answerReserve : context - answer);
  }

  async #warning(id: string, shown: Shown): Promise<string> {
    const tokens = tokensIn(shown.messages);
    if (shown.isWarned || shown.limit === 0 || tokens < warnFrom(shown.limit)) return "";
    shown.isWarned = true;
    return (await this.#ask(id, "after-tool", { tokens, limit: shown.limit })).context;
  }

  /** Returns what the summarizer must keep. */
  async beforeCompaction(id: string): Promise<string> {
    const shown = this.#shownTo(id);
    shown.isCompacting = true;
    shown.transcript = await this.#write(id);
    return (await this.#ask(id, "before-compaction", { transcript_path: shown.transcript })).keep;
  }

  /** Handles the end of a compaction, successful or not. */
  endCompaction(id: string, isDone: boolean): void {
    const shown = this.#sessions.get(id);
    if (!shown) return;
    shown.isCompacting = false;
    if (isDone)
      Object.assign(shown, { head: undefined, news: new Map(), source: "compact", isWarned: false });
  }

  /** The sessions that have started and not ended. */
  get openSessions(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Ends a session, so that its handoff is written. Does nothing if it has ended or never started. */
  async endSession(id: string): Promise<void> {
    const shown = this.#sessions.get(id);
    if (!shown) return;
    // Removed first, because the host may report one end in several ways.
    this.#sessions.delete(id);
    const transcript_path = writeTranscript(
      this.#project.directory,
      this.#host,
      id,
      await this.#lastMessages(id, shown),
    );
    await this.#ask(id, "end", { transcript_path: transcript_path || shown.transcript });
  }

  /** Links the MCP server to the calling session; it uses one session at a time. */
  link(id: string): void {
    if (this.#linked === id) return;
    const { directory } = this.#project;
    makeProjectDirectory(directory);
    const link = { directory, cwd: this.#directory, host: this.#host, hostSession: id };
    linkSession({ ...link, process: ownProcess() });
    this.#linked = id;
  }

  async #refresh(id: string): Promise<void> {
    const shown = this.#shownTo(id);
    // Set first, so that a failing hook does not run again before every call.
    shown.head = "";
    // The conversation may have a summary that the hook has not seen.
    if (shown.source !== "startup") shown.transcript = (await this.#write(id)) || shown.transcript;
    const { source, transcript } = shown;
    shown.head = (await this.#ask(id, "session-start", { source, transcript_path: transcript })).context;
  }

  async #write(id: string): Promise<string> {
    return writeTranscript(this.#project.directory, this.#host, id, await this.#messagesOf(id));
  }

  async #messagesOf(id: string): Promise<unknown> {
    return (await this.#client?.session?.messages?.({ path: { id } }))?.data;
  }

  async #lastMessages(id: string, { messages }: Shown): Promise<unknown> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, messagesTimeout);
    const found = await Promise.race([this.#messagesOf(id).catch(() => undefined), late]);
    clearTimeout(timer);
    return Array.isArray(found) && found.length > 0 ? found : messages;
  }

  async #ask(id: string, event: string, more: Record<string, unknown> = {}): Promise<HookAnswer> {
    const payload = { hook_event_name: event, session_id: id, cwd: this.#directory, ...more };
    const answer = await this.#askHook(this.#host, this.#command, payload, this.#directory);
    this.#linked = id;
    return answer;
  }

  #shownTo(id: string): Shown {
    const known = this.#sessions.get(id);
    if (known) return known;
    const isKnown = readHookState(this.#project.directory, this.#host, id) !== undefined;
    const shown: Shown = {
      head: undefined,
      news: new Map(),
      source: isKnown ? "resume" : "startup",
      isCompacting: false,
      transcript: "",
      limit: 0,
      isWarned: false,
      messages: [],
    };
    this.#sessions.set(id, shown);
    return shown;
  }
}

/**
 * Puts memory before the user's first message, where the provider caches it, and each later change before the message
 * it arrived with; or before the user's last message. The messages are the host's copies for one call; it stores none of
 * this.
 */
function placeText(
  messages: readonly OpencodeMessage[],
  { head = "", news }: { head: string | undefined; news: ReadonlyMap<string, string> },
  placement: Placement,
): void {
  const userMessages = messages.filter(({ info }) => info.role === "user");
  for (const message of userMessages) {
    const text = news.get(message.info.id) ?? "";
    if (text !== "") message.parts.unshift(textPart(message, "news", text));
  }
  const place = placement === "message" ? userMessages.at(-1) : userMessages[0];
  if (place && head !== "" && placement !== "system") place.parts.unshift(textPart(place, "memory", head));
}

/** Adds a message of the user's role after all others, for this call only. */
function addUserText(messages: OpencodeMessage[], text: string): void {
  const last = messages.findLast(({ info }) => info.role === "user");
  if (!last) return;
  const message = { info: { ...last.info, id: `${last.info.id}_holdfast` }, parts: [] };
  messages.push({ ...message, parts: [textPart(message, "warning", text)] });
}

function textPart({ info }: OpencodeMessage, name: string, text: string): OpencodePart {
  const { id: messageID, sessionID } = info;
  return { id: `prt_holdfast_${name}`, messageID, sessionID, type: "text", text, synthetic: true };
}

/** The tokens of the last model call since the last compaction, and an estimate of the results that came after it. */
function tokensIn(messages: readonly OpencodeMessage[]): number {
  const last = messages.findLast(({ info }) => info.role === "assistant" && usageOf(info) > 0);
  if (!last || last.info.summary === true) return 0;
  const outputs = last.parts.map(({ state }) => textIn(objectIn(state).output));
  return usageOf(last.info) + outputs.reduce((sum, output) => sum + estimateTokens(output), 0);
}

function usageOf({ tokens }: OpencodeMessage["info"]): number {
  const { input, output, cache } = objectIn(tokens);
  const { read, write } = objectIn(cache);
  return [input, output, read, write].reduce<number>((sum, count) => sum + countIn(count), 0);
}

interface HookAnswer {
  /** For the model. */
  context: string;
  /** For the summarizer. */
  keep: string;
}

/** The hook has its own deadline; this one, in milliseconds, covers a hook that does not even start. */
const answerTimeout = 10_000;

/** Runs `holdfast hook HOST`. The hosts' own runtime does not have Node's SQLite, so a separate process opens the memory. */
async function askHook(
  host: string,
  command: readonly string[],
  payload: Record<string, unknown>,
  cwd: string,
): Promise<HookAnswer> {
  const [program = "", ...words] = command;
  const args = [...words, "hook", host];
  const options = { cwd, input: JSON.stringify(payload), limit: answerTimeout };
  const { code, stdout, stderr, trouble } = await runProgram(program, args, options);
  if (code !== 0) {
    // The hook records its own failures for `holdfast doctor`.
    const reason = (trouble ?? stderr.trim()) || `exit code ${code}`;
    throw new HoldfastError(
      "not_found",
      `"${[program, ...args].join(" ")}" gave no answer: ${reason.slice(0, 300)}. Run "holdfast doctor ${host}".`,
    );
  }
  const { context, keep } = parseObject(stdout) ?? {};
  return { context: textIn(context), keep: textIn(keep) };
}

/** The command of the configured MCP server, used for the hook too; without a server, this package's own. */
function hookCommand(config: Record<string, unknown>): string[] {
  const { command } = objectIn(objectIn(config.mcp).holdfast);
  const words = Array.isArray(command) ? command.map(String) : [];
  const end = words.indexOf("mcp");
  return end > 0 ? words.slice(0, end) : ownCommand();
}

function ownCommand(): string[] {
  const built = join(import.meta.dirname, "cli.js");
  return ["node", existsSync(built) ? built : join(import.meta.dirname, "../../cli.ts")];
}

/** Writes a conversation to a file that the hook, and later the agent, can read. These hosts have no such file. */
function writeTranscript(directory: string, host: string, hostSession: string, messages: unknown): string {
  if (!Array.isArray(messages) || messages.length === 0) return "";
  makeProjectDirectory(directory);
  const folder = join(directory, "transcripts");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${sessionIdOf(host, hostSession)}.jsonl`);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return path;
}
