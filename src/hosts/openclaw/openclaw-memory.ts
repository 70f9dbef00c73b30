import type { StoredMessage } from "../../context/conversation.ts";
import type { Checkpoint } from "../../engine/conversation.ts";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { openPluginMemory } from "../../workspace/plugin-memory.ts";
import { findProject } from "../../workspace/project.ts";
import {
  planHostCheckpoint,
  planHostReceipt,
  writeCheckpoint,
  writeReceipt,
} from "../hook/host-compaction.ts";
import { toModelMessage } from "../pi/model-messages.ts";
import { listAncestors } from "../processes.ts";
import { linkSession, memoryOf } from "../session-link.ts";
import { ShownMemory } from "../shown-memory.ts";
import type { OpenClawCompactionEvent, OpenClawContext } from "./api.ts";

interface Conversation {
  shown: ShownMemory;
  compaction?: { checkpoint: Checkpoint; removed: StoredMessage[]; transcript: string } | undefined;
}

/** The memory of every conversation that this gateway holds; OpenClaw registers the plug-in many times over. */
export class OpenClawMemory {
  readonly #memories = new Map<string, Promise<Memory>>();
  readonly #conversations = new Map<string, Conversation>();

  async call(
    context: OpenClawContext,
    tool: string,
    input: unknown,
  ): Promise<Record<string, unknown> & { text: string }> {
    const session = await this.#session(context);
    const answer = await session.call(tool, input, { key: this.#conversation(context).shown.ownEdit() });
    if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
    return { ...answer.output, text: answer.text };
  }

  async texts(context: OpenClawContext): Promise<{ head: string; news: string }> {
    return this.#conversation(context).shown.texts(await this.#session(context));
  }

  /** OpenClaw does not wait for an answer here, but what goes is written down before it goes. */
  async beforeCompaction(
    { messages = [], sessionFile = "" }: OpenClawCompactionEvent,
    context: OpenClawContext,
  ): Promise<void> {
    const session = await this.#session(context);
    const removed = storedMessages(messages);
    const checkpoint = await planHostCheckpoint(session, removed);
    await writeCheckpoint(session, checkpoint);
    this.#conversation(context).compaction = { checkpoint, removed, transcript: sessionFile };
  }

  async afterCompaction(
    { compactedCount }: OpenClawCompactionEvent,
    context: OpenClawContext,
  ): Promise<void> {
    const conversation = this.#conversation(context);
    const { compaction, shown } = conversation;
    conversation.compaction = undefined;
    if (compactedCount === 0) return;
    shown.forget();
    if (!compaction) return;
    const { checkpoint, removed, transcript } = compaction;
    const session = await this.#session(context);
    const state = await session.state();
    const { head } = await shown.texts(session);
    const receipt = planHostReceipt({
      state,
      epoch: checkpoint.epoch,
      removed,
      asks: checkpoint.openAsks,
      shown: `${head}\n${checkpoint.text}`,
      summary: "",
      transcript,
    });
    await writeReceipt(session, receipt);
    shown.forget([checkpoint.text, receipt.line]);
  }

  /** A conversation that was reset begins with an empty memory; the old one is archived, not lost. */
  async reset(context: OpenClawContext): Promise<void> {
    const { directory, cwd } = placeOf(context);
    const hostSession = keyOf(context);
    const old = memoryOf(directory, "openclaw", hostSession);
    const memory = await this.#memory(cwd);
    if (await memory.findSession(old)) {
      const fresh = await memory.createSession({ agent: "openclaw" });
      const [own] = listAncestors(process.pid);
      const host = own && { pid: own.pid, start: own.start };
      linkSession({ directory, cwd, host: "openclaw", hostSession, continues: fresh.id, process: host });
      await memory.archiveSession(old, { actor: { kind: "system" } });
    }
    this.#conversations.delete(hostSession);
  }

  async close(): Promise<void> {
    const open = [...this.#memories.values()];
    this.#memories.clear();
    this.#conversations.clear();
    for (const memory of open) await (await memory).close();
  }

  #conversation(context: OpenClawContext): Conversation {
    const key = keyOf(context);
    const known = this.#conversations.get(key);
    if (known) return known;
    const conversation: Conversation = { shown: new ShownMemory() };
    this.#conversations.set(key, conversation);
    return conversation;
  }

  async #session(context: OpenClawContext): Promise<Session> {
    const { directory, cwd } = placeOf(context);
    const memory = await this.#memory(cwd);
    return memory.openSession(memoryOf(directory, "openclaw", keyOf(context)), { agent: "openclaw" });
  }

  /** One that could not be opened is tried again at the next call. */
  #memory(cwd: string): Promise<Memory> {
    const { root } = findProject(cwd);
    const known = this.#memories.get(root);
    if (known) return known;
    const opened = openPluginMemory(cwd);
    this.#memories.set(root, opened);
    opened.catch(() => this.#memories.delete(root));
    return opened;
  }
}

function keyOf({ sessionKey, sessionId }: OpenClawContext): string {
  return sessionKey || sessionId || "main";
}

function placeOf({ workspaceDir }: OpenClawContext): { directory: string; cwd: string } {
  const cwd = workspaceDir || process.cwd();
  return { directory: findProject(cwd).directory, cwd };
}

function storedMessages(messages: readonly unknown[]): StoredMessage[] {
  return messages
    .flatMap((message) => (isObject(message) ? (toModelMessage(message) ?? []) : []))
    .map((message, index) => ({ number: index + 1, message, at: 0 }));
}
