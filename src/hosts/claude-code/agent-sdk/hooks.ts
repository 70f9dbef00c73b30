import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Compaction } from "../../../compaction/compaction.ts";
import type { Receipt } from "../../../engine/records.ts";
import type { Session } from "../../../sessions/session.ts";
import { memoryFor, type ShownMemory } from "../../../sessions/shown-memory.ts";
import { notify, notifyEnd, pluginDriver } from "../../plugin/driver.ts";
import { readConversation, readSummary } from "../../transcript/read-conversation.ts";
import { claudeCode } from "../host.ts";
import type { HookInput, HookOutput } from "./api.ts";
import type { MemoryServerParts } from "./memory-server.ts";

interface HookParts extends MemoryServerParts {
  report: (error: unknown) => void;
}

/** The hooks of one conversation at a time. Claude Code keeps the conversation, and writes it to its transcript. */
export class AgentSdkHooks {
  readonly #parts: HookParts;
  readonly #session: Session;
  readonly #shown: ShownMemory;
  #isStarted = false;
  #conversation: string | undefined;
  /** Whether the conversation contains the memory. */
  #isShown = false;
  /** A compaction whose checkpoint is written, and the size of the transcript then. */
  #begun: { run: Compaction; size: number } | undefined;
  /** The last compaction, until its summary is known. */
  #ended: Receipt | undefined;

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
    if (input.hook_event_name === "PreCompact") await this.#begin(input);
    if (input.hook_event_name === "PostCompact") await this.#account(input);
    if (input.hook_event_name === "SessionEnd") await this.#end(input);
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
    [this.#isShown, this.#begun, this.#ended] = [false, undefined, undefined];
  }

  /** The memory as it is now, after a compaction with the checkpoint and the receipt; later what others changed. */
  async #show({ hook_event_name: name, transcript_path: path }: HookInput): Promise<HookOutput> {
    const hookEventName = name === "SessionStart" ? name : "UserPromptSubmit";
    if (!this.#isStarted) await notify(this.#session, { kind: "session-start" }, this.#parts.report);
    this.#isStarted = true;
    const { head, news } = await this.#shown.textsOnce(this.#session);
    // A resumed conversation contains the memory as another process showed it.
    const shown = this.#isShown ? "" : await readFile(path, "utf8").catch(() => "");
    const additionalContext = this.#isShown ? news : memoryFor(shown, head);
    this.#isShown = true;
    return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
  }

  async #begin({ transcript_path: path, cwd }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const run = this.#compaction(cwd);
    await run.begin({ messages, to: messages.length, transcript: { path, size } });
    this.#begun = { run, size };
  }

  #compaction(cwd: string): Compaction {
    const { report } = this.#parts;
    const [session, shown] = [this.#session, this.#shown];
    return new Compaction(
      pluginDriver({
        session,
        cwd,
        report,
        wayBack: "transcript",
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
    if (!this.#begun && this.#ended) return;
    if (!this.#begun) await this.#begin(input);
    const size = this.#begun?.size ?? 0;
    await this.#close(
      readSummary(claudeCode, path, size) || (readConversation(claudeCode, path)?.summary ?? ""),
    );
  }

  async #account({ compact_summary: summary = "", cwd }: HookInput): Promise<void> {
    if (this.#begun) return this.#close(summary);
    if (this.#ended?.summaryBy !== "unknown" || summary === "") return;
    const run = this.#compaction(cwd);
    if (await run.reopen(this.#ended))
      this.#ended = (await run.finish({ text: summary, by: "model" })).receipt;
  }

  async #close(summary: string): Promise<void> {
    const begun = this.#begun;
    if (!begun) return;
    this.#begun = undefined;
    const { receipt } = await begun.run.finish({ text: summary, by: summary === "" ? "unknown" : "model" });
    this.#ended = receipt;
    const [checkpoint] = await this.#session.records("checkpoint", [String(receipt.epoch)]);
    this.#shown.forget([checkpoint?.value.text ?? "", receipt.line].filter((text) => text !== ""));
    this.#isShown = false;
  }

  async #end({ transcript_path: path }: HookInput): Promise<void> {
    const { messages = [] } = readConversation(claudeCode, path) ?? {};
    this.#isStarted = false;
    await notifyEnd(this.#session, messages, this.#parts.report);
  }
}
