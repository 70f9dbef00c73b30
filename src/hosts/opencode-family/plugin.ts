import { warnFrom } from "../../compaction/usage.ts";
import type { Placement } from "../../context/placement.ts";
import { readWorkspaceConfig, settingValue } from "../../workspace/config.ts";
import { findProject, makeProjectDirectory, type Project } from "../../workspace/project.ts";
import { readHookState } from "../hook/state.ts";
import { listAncestors } from "../processes.ts";
import { linkSession } from "../session-link.ts";
import type { OpencodeInput, OpencodeMessage } from "./api.ts";
import { askHook, type HookAnswer, hookCommand, ownCommand } from "./ask-hook.ts";
import { addUserText, placeText } from "./place-text.ts";
import { writeTranscript } from "./transcript.ts";
import { tokensIn } from "./usage.ts";

/** What one session's conversation shows of its memory. */
interface Shown {
  /** The memory. Undefined until loaded, and again after a compaction; "" if the hook failed. */
  head: string | undefined;
  /** With the placement `epoch`: changes since the last message, by the id of the message they came with. */
  news: Map<string, string>;
  source: "startup" | "resume" | "compact";
  /** The next model call is the summariser's. */
  isCompacting: boolean;
  transcript: string;
  /** The tokens at which the host compacts; 0 until the first model call. */
  limit: number;
  /** The agent was warned since the last compaction. */
  isWarned: boolean;
  /** The messages of the last model call, without memory. The host has removed a deleted session's by the time it says so. */
  messages: readonly OpencodeMessage[];
}

/** The longest answer that these hosts ask for, and what they leave for one if a model limits its input. */
const [longestAnswer, answerReserve] = [32_000, 20_000];

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
    if (this.#placement === "epoch") shown.news.set(message, context);
    else if (context !== "") shown.head = context;
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

  /** Returns what the summariser must keep. */
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

  /** Ends a session, so that its hand-over is written. Does nothing if it has ended or never started. */
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
    const [own] = listAncestors(process.pid);
    const owner = own && { pid: own.pid, start: own.start };
    linkSession({ directory, cwd: this.#directory, host: this.#host, hostSession: id, process: owner });
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
