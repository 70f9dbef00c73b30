import { findProject, makeProjectDirectory, type Project } from "../../workspace/project.ts";
import { listAncestors } from "../processes.ts";
import { linkSession } from "../session-link.ts";
import type { OpencodeInput, OpencodeMessage } from "./api.ts";
import { askHook, type HookAnswer, hookCommand, ownCommand } from "./ask-hook.ts";
import { placeText } from "./place-text.ts";
import { writeTranscript } from "./transcript.ts";

/** What the conversation of one session is shown. */
interface Shown {
  /** Undefined until it is asked for, and again after a compaction; "" when it could not be had. */
  head: string | undefined;
  /** What was new when a message came, by the message's id. */
  news: Map<string, string>;
  source: "startup" | "compact";
  /** The next messages are for the summariser. */
  isCompacting: boolean;
  transcript: string;
}

/** The sessions of one opencode, and what each is shown. */
export class OpencodePlugin {
  readonly #directory: string;
  readonly #client: OpencodeInput["client"];
  readonly #project: Project;
  readonly #sessions = new Map<string, Shown>();
  #command = ownCommand();
  /** The session that the MCP server works for. */
  #linked = "";

  constructor({ directory, client }: OpencodeInput) {
    this.#directory = directory;
    this.#client = client;
    this.#project = findProject(directory);
  }

  configure(config: Record<string, unknown>): void {
    this.#command = hookCommand(config);
  }

  /** A message has come from the user. */
  async hear(id: string, message: string): Promise<void> {
    const shown = this.#shownTo(id);
    this.link(id);
    if (!shown.head) await this.#refresh(id);
    else shown.news.set(message, (await this.#ask(id, "prompt")).context);
  }

  /** Puts memory into the messages of one model call. */
  async place(messages: readonly OpencodeMessage[]): Promise<void> {
    const id = messages.at(-1)?.info.sessionID;
    if (id === undefined) return;
    const shown = this.#shownTo(id);
    const isForSummary = shown.isCompacting;
    shown.isCompacting = false;
    if (isForSummary) return;
    // The turn that follows a compaction by itself begins without a message.
    if (shown.head === undefined) await this.#refresh(id);
    placeText(messages, shown.head ?? "", shown.news);
  }

  /** What the summariser has to keep. */
  async beforeCompaction(id: string): Promise<string> {
    const shown = this.#shownTo(id);
    shown.isCompacting = true;
    const found = await this.#client?.session?.messages?.({ path: { id } });
    shown.transcript = writeTranscript(this.#project.directory, id, found?.data);
    return (await this.#ask(id, "before-compaction", { transcript_path: shown.transcript })).keep;
  }

  /** A compaction is over, whether or not it was done. */
  endCompaction(id: string, isDone: boolean): void {
    const shown = this.#sessions.get(id);
    if (!shown) return;
    shown.isCompacting = false;
    if (isDone) Object.assign(shown, { head: undefined, news: new Map(), source: "compact" });
  }

  /** The MCP server works for one session at a time: the one that calls. */
  link(id: string): void {
    if (this.#linked === id) return;
    const { directory } = this.#project;
    makeProjectDirectory(directory);
    const [own] = listAncestors(process.pid);
    const host = own && { pid: own.pid, start: own.start };
    linkSession({ directory, cwd: this.#directory, host: "opencode", hostSession: id, process: host });
    this.#linked = id;
  }

  async #refresh(id: string): Promise<void> {
    const shown = this.#shownTo(id);
    const { source, transcript } = shown;
    // Set first: a hook that fails is not asked again before every single call.
    shown.head = "";
    shown.head = (await this.#ask(id, "session-start", { source, transcript_path: transcript })).context;
  }

  async #ask(id: string, event: string, more: Record<string, unknown> = {}): Promise<HookAnswer> {
    const payload = { hook_event_name: event, session_id: id, cwd: this.#directory, ...more };
    const answer = await askHook(this.#command, payload, this.#directory);
    this.#linked = id;
    return answer;
  }

  #shownTo(id: string): Shown {
    const known = this.#sessions.get(id);
    if (known) return known;
    const shown: Shown = {
      head: undefined,
      news: new Map(),
      source: "startup",
      isCompacting: false,
      transcript: "",
    };
    this.#sessions.set(id, shown);
    return shown;
  }
}
