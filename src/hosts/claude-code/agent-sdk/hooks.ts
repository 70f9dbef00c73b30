import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Compaction } from "../../../compaction/compaction.ts";
import { Queue } from "../../../engine/queue.ts";
import type { Session } from "../../../sessions/session.ts";
import { memoryFor, type ShownMemory } from "../../../sessions/shown-memory.ts";
import { compactionLimit, readFill } from "../../fill.ts";
import { notify, notifyEnd, pluginDriver, warn } from "../../plugin/conversation.ts";
import { readConversation, readSummary } from "../../transcript/read-conversation.ts";
import { claudeCode } from "../host.ts";
import type { HookInput, HookOutput } from "./api.ts";
import type { MemoryServerParts } from "./memory-server.ts";

interface HookParts extends Pick<MemoryServerParts, "session" | "shown"> {
  report: (error: unknown) => void;
}

/** The hooks of one conversation at a time. Claude Code keeps the conversation, and writes it to its transcript. */
export class AgentSdkHooks {
  readonly #parts: HookParts;
  readonly #session: Session;
  readonly #shown: ShownMemory;
  /** The transcript of the conversation; "" before its first event. */
  transcript = "";
  /** Tools that run at the same time report their results at the same time. */
  readonly #queue = new Queue();
  #isStarted = false;
  #conversation: string | undefined;
  /** Whether the conversation contains the memory. */
  #isShown = false;
  /** The size of the transcript when the handoff of a compaction was written. */
  #begun: { size: number } | undefined;
  /** The compaction that the conversation goes on from has ended: Claude Code reports its end twice. */
  #hasEnded = false;

  constructor(parts: HookParts) {
    this.#parts = parts;
    this.#session = parts.session;
    this.#shown = parts.shown;
  }

  /** A failure of memory never stops the agent. */
  async answer(input: HookInput): Promise<HookOutput> {
    try {
      return await this.#handle(input);
    } catch (error) {
      this.#parts.report(error);
      return {};
    }
  }

  async #handle(input: HookInput): Promise<HookOutput> {
    if (input.agent_id !== undefined) return {};
    this.transcript = input.transcript_path;
    if (input.hook_event_name === "PreCompact") await this.#begin(input);
    if (input.hook_event_name === "PostCompact" && this.#begun)
      await this.#close(input, input.compact_summary ?? "");
    if (input.hook_event_name === "SessionEnd") await this.#end(input);
    if (input.hook_event_name === "PostToolUse")
      return added("PostToolUse", await this.#queue.run(() => this.#warning(input)));
    if (!["UserPromptSubmit", "SessionStart"].includes(input.hook_event_name)) return {};
    this.#follow(input);
    if (input.hook_event_name === "UserPromptSubmit") return this.#show(input);
    if (input.source === "compact") await this.#finish(input);
    else this.#shown.forget();
    this.#isShown = false;
    return this.#show(input);
  }

  /** Each `query` that resumes none is a new conversation, and the SDK does not announce it. */
  #follow({ session_id: id, source }: HookInput): void {
    const isNew = this.#conversation !== undefined && id !== this.#conversation && source !== "compact";
    this.#conversation = id;
    if (!isNew) return;
    this.#shown.forget();
    [this.#isShown, this.#begun, this.#hasEnded] = [false, undefined, false];
  }

  /** The memory as it is now, after a compaction with the handoff and the receipt; later what others changed. */
  async #show(input: HookInput): Promise<HookOutput> {
    const { hook_event_name: name, transcript_path: path } = input;
    const hookEventName = name === "SessionStart" ? name : "UserPromptSubmit";
    if (!this.#isStarted) await notify(this.#session, { kind: "session-start" }, this.#parts.report);
    this.#isStarted = true;
    if (name === "UserPromptSubmit") this.#shown.beginTurn();
    const { head, news } = await this.#shown.textsOnce(this.#session);
    const warning = name === "UserPromptSubmit" ? await this.#warning(input) : "";
    // A resumed conversation contains the memory as another process showed it.
    const shown = this.#isShown ? "" : await readFile(path, "utf8").catch(() => "");
    const text = this.#isShown ? news : memoryFor(shown, head);
    this.#isShown = true;
    return added(hookEventName, [text, warning].filter((part) => part !== "").join("\n\n"));
  }

  /** The warning, if a compaction is near. Claude Code may write the last result to its transcript a moment later. */
  async #warning({ transcript_path: path, cwd, tool_use_id: id, tool_response }: HookInput): Promise<string> {
    const results = id === undefined ? [] : [{ id, text: JSON.stringify(tool_response ?? "") }];
    const fill = readFill(claudeCode, path, { results });
    const limit = fill && compactionLimit(claudeCode, fill, cwd);
    return fill && limit !== undefined ? warn(this.#session, { tokens: fill.tokens, limit }) : "";
  }

  async #begin({ transcript_path: path, cwd }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    await this.#compaction(cwd).begin({ messages, to: messages.length, transcript: { path, size } });
    [this.#begun, this.#hasEnded] = [{ size }, false];
  }

  #compaction(cwd: string): Compaction {
    const { report } = this.#parts;
    const [session, shown] = [this.#session, this.#shown];
    return new Compaction(
      pluginDriver({
        session,
        cwd,
        report,
        readWith: "recall",
        async contextAfter({ body }) {
          shown.forget();
          const text = `${(await shown.texts(session)).head}\n${body}`;
          return { text, tokens: session.setting.countTokens(text) };
        },
      }),
    );
  }

  /** The conversation begins again after a compaction. Claude Code may report its summary before or after this. */
  async #finish(input: HookInput): Promise<void> {
    const { transcript_path: path } = input;
    if (!this.#begun && this.#hasEnded) return;
    if (!this.#begun) await this.#begin(input);
    const summary = readSummary(claudeCode, path, this.#begun?.size ?? 0);
    await this.#close(input, summary || (readConversation(claudeCode, path)?.summary ?? ""));
  }

  async #close({ cwd }: HookInput, summary: string): Promise<void> {
    [this.#begun, this.#hasEnded] = [undefined, true];
    const by = summary === "" ? ("unknown" as const) : ("model" as const);
    const { handoff, receipt } = await this.#compaction(cwd).finish({ text: summary, by });
    this.#shown.forget([handoff.text, receipt.line].filter((text) => text !== ""));
    this.#isShown = false;
  }

  async #end({ transcript_path: path }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    this.#isStarted = false;
    await notifyEnd(this.#session, messages, this.#parts.report);
  }
}

function added(
  hookEventName: NonNullable<HookOutput["hookSpecificOutput"]>["hookEventName"],
  additionalContext: string,
): HookOutput {
  return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
}
