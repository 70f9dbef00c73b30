import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Queue } from "../../../engine/queue.ts";
import type { Session } from "../../../sessions/session.ts";
import { memoryFor } from "../../../sessions/shown-memory.ts";
import { compactionLimit, readFill } from "../../context-fill.ts";
import type { PluginConversation, Report } from "../../plugin/conversation.ts";
import { readConversation, readSummary } from "../../transcript/read-conversation.ts";
import { claudeCode } from "../host.ts";

/** The fields of the SDK's hook inputs that we read. */
export interface HookInput {
  hook_event_name: string;
  transcript_path: string;
  cwd: string;
  /** The conversation. */
  session_id?: string;
  /** Present when the hook fires within a sub-agent, which has no part in this conversation. */
  agent_id?: string;
  source?: string;
  compact_summary?: string;
  /** After a tool has run. */
  tool_use_id?: string;
  tool_response?: unknown;
}

/** The SDK's output for those events. */
export interface HookOutput {
  hookSpecificOutput?: {
    hookEventName: "SessionStart" | "UserPromptSubmit" | "PostToolUse";
    additionalContext: string;
  };
}

interface HookParts {
  session: Session;
  memory: PluginConversation;
  report: Report;
}

/** The hooks of one conversation at a time. Claude Code keeps the conversation, and writes it to its transcript. */
export class AgentSdkHooks {
  readonly #session: Session;
  readonly #memory: PluginConversation;
  readonly #report: Report;
  /** The transcript of the conversation; "" before its first event. */
  transcript = "";
  /** Tools that run at the same time report their results at the same time. */
  readonly #queue = new Queue();
  #conversation: string | undefined;
  /** Whether the conversation contains the memory. */
  #isShown = false;
  /** The size of the transcript when the handoff of a compaction was written. */
  #begun: { size: number } | undefined;
  /** The compaction that the conversation goes on from has ended: Claude Code reports its end twice. */
  #hasEnded = false;

  constructor({ session, memory, report }: HookParts) {
    this.#session = session;
    this.#memory = memory;
    this.#report = report;
  }

  /** A failure of memory never stops the agent. */
  async answer(input: HookInput): Promise<HookOutput> {
    try {
      return await this.#handle(input);
    } catch (error) {
      this.#report(error);
      return {};
    }
  }

  async #handle(input: HookInput): Promise<HookOutput> {
    if (input.agent_id !== undefined) return {};
    this.transcript = input.transcript_path;
    if (input.hook_event_name === "PreCompact") await this.#begin(input);
    if (input.hook_event_name === "PostCompact" && this.#begun)
      await this.#close(input.compact_summary ?? "");
    if (input.hook_event_name === "SessionEnd") await this.#end(input);
    if (input.hook_event_name === "PostToolUse")
      return added("PostToolUse", await this.#queue.run(() => this.#warning(input)));
    if (!["UserPromptSubmit", "SessionStart"].includes(input.hook_event_name)) return {};
    this.#follow(input);
    if (input.hook_event_name === "UserPromptSubmit") return this.#show(input);
    if (input.source === "compact") await this.#finish(input);
    else this.#memory.forget();
    this.#isShown = false;
    return this.#show(input);
  }

  /** Each `query` that resumes none is a new conversation, and the SDK does not announce it. */
  #follow({ session_id: id, source }: HookInput): void {
    const isNew = this.#conversation !== undefined && id !== this.#conversation && source !== "compact";
    this.#conversation = id;
    if (!isNew) return;
    this.#memory.forget();
    [this.#isShown, this.#begun, this.#hasEnded] = [false, undefined, false];
  }

  /** The memory as it is now, after a compaction with the handoff and the receipt; later what others changed. */
  async #show(input: HookInput): Promise<HookOutput> {
    const isPrompt = input.hook_event_name === "UserPromptSubmit";
    // A resumed conversation contains the memory as another process showed it.
    const before = this.#isShown ? "" : await readFile(input.transcript_path, "utf8").catch(() => "");
    await this.#memory.start(this.#session, {
      report: this.#report,
      contains: (text) => before.includes(JSON.stringify(text).slice(1, -1)),
    });
    const { head, news } = await this.#memory.textsOnce(this.#session, isPrompt);
    const warning = isPrompt ? await this.#warning(input) : "";
    const text = this.#isShown ? news : memoryFor(before, head);
    this.#isShown = true;
    const shown = [text, warning].filter((part) => part !== "").join("\n\n");
    return added(isPrompt ? "UserPromptSubmit" : "SessionStart", shown);
  }

  /** The warning, if a compaction is near. Claude Code may write the last result to its transcript a moment later. */
  async #warning({ transcript_path: path, cwd, tool_use_id: id, tool_response }: HookInput): Promise<string> {
    const results = id === undefined ? [] : [{ id, text: JSON.stringify(tool_response ?? "") }];
    const fill = readFill(claudeCode, path, { results });
    const limit = fill && compactionLimit(claudeCode, fill, cwd);
    return fill && limit !== undefined
      ? this.#memory.warning(this.#session, { tokens: fill.tokens, limit })
      : "";
  }

  async #begin({ transcript_path: path, cwd }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const conversation = { messages, to: messages.length, transcript: { path, size } };
    const [session, report] = [this.#session, this.#report];
    await this.#memory.beginCompaction({ session, conversation, cwd, readWith: "recall", report });
    [this.#begun, this.#hasEnded] = [{ size }, false];
  }

  /** The conversation begins again after a compaction. Claude Code may report its summary before or after this. */
  async #finish(input: HookInput): Promise<void> {
    const { transcript_path: path } = input;
    if (!this.#begun && this.#hasEnded) return;
    if (!this.#begun) await this.#begin(input);
    const summary = readSummary(claudeCode, path, this.#begun?.size ?? 0);
    await this.#close(summary || (readConversation(claudeCode, path)?.summary ?? ""));
  }

  async #close(summary: string): Promise<void> {
    [this.#begun, this.#hasEnded] = [undefined, true];
    await this.#memory.finishCompaction({ text: summary, by: summary === "" ? "unknown" : "model" });
    this.#isShown = false;
  }

  async #end({ transcript_path: path }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    await this.#memory.end(messages, this.#report);
  }
}

function added(
  hookEventName: NonNullable<HookOutput["hookSpecificOutput"]>["hookEventName"],
  additionalContext: string,
): HookOutput {
  return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
}
