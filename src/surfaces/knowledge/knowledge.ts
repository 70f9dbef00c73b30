import { checkRevision } from "../../engine/check-fields.ts";
import { requireEntries } from "../../engine/history-start.ts";
import type { Json } from "../../engine/json.ts";
import { revertChanges } from "../../engine/state.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { type KeyValues, keyValuesOf } from "./key-values.ts";
import {
  readSkills,
  readTools,
  type SavedItemResult,
  type SavedSkill,
  type SavedTool,
} from "./saved-items.ts";
import { readLocks, readSystemPrompt, type SystemPromptResult } from "./system-prompt.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

/** The permanent instructions of an agent. */
export interface SystemPrompt {
  read(): Promise<string>;
  /** As it was right after a revision of the knowledge. */
  at(revision: number): Promise<string>;
  write(content: string, options?: ApplyOptions): Done<SystemPromptResult>;
  append(content: string, options?: ApplyOptions): Done<SystemPromptResult>;
  prepend(content: string, options?: ApplyOptions): Done<SystemPromptResult>;
  replace(
    find: string,
    replacement: string,
    options?: ApplyOptions & { all?: boolean },
  ): Done<SystemPromptResult>;
  delete(content: string, options?: ApplyOptions): Done<SystemPromptResult>;
  /** Until it is unlocked, no edit can change this passage. */
  lock(text: string): Done<SystemPromptResult>;
  unlock(text: string): Done<SystemPromptResult>;
  locks(): Promise<string[]>;
}

/** An agent's permanent knowledge, shared by all its sessions; journaled like a session, with history, undo and watch. */
export interface Knowledge<Owner extends SessionHandle = SessionHandle> {
  /** Its journal: `history`, `at`, `diff`, `undo` and `watch` work as on any session. */
  readonly session: Owner;
  readonly systemPrompt: SystemPrompt;
  readonly state: KeyValues;
  skills(): Promise<SavedSkill[]>;
  saveSkill(skill: Omit<SavedSkill, "version">, options?: ApplyOptions): Done<SavedItemResult>;
  deleteSkill(name: string, options?: ApplyOptions): Done<SavedItemResult>;
  tools(): Promise<SavedTool[]>;
  saveTool(
    tool: { name: string; description: string; schema: Json; code: string },
    options?: ApplyOptions,
  ): Done<SavedItemResult>;
  deleteTool(name: string, options?: ApplyOptions): Done<SavedItemResult>;
}

export function knowledgeOf<Owner extends SessionHandle>(session: Owner): Knowledge<Owner> {
  return {
    session,
    systemPrompt: systemPromptOf(session),
    state: keyValuesOf(async () => session),
    skills: async () => readSkills(await session.state()),
    saveSkill: ({ name, description, content }, options) =>
      session.apply({ type: "skills.save", name, description, content }, options),
    deleteSkill: (name, options) => session.apply({ type: "skills.delete", name }, options),
    tools: async () => readTools(await session.state()),
    saveTool: ({ name, description, schema, code }, options) =>
      session.apply({ type: "tools.save", name, description, schema, code }, options),
    deleteTool: (name, options) => session.apply({ type: "tools.delete", name }, options),
  };
}

function systemPromptOf(session: SessionHandle): SystemPrompt {
  const byPerson = { actor: { kind: "person" as const } };
  return {
    read: async () => readSystemPrompt(await session.state()),
    at: async (revision) => {
      let state = await session.state();
      checkRevision(state, revision);
      const range = { from: revision + 1, to: state.row.revision };
      const entries = await session.history(range);
      requireEntries(state.row.id, entries, range);
      for (const entry of entries) state = revertChanges(state, entry.changes);
      return readSystemPrompt(state);
    },
    write: (content, options) => session.apply({ type: "system.write", content }, options),
    append: (content, options) => session.apply({ type: "system.append", content }, options),
    prepend: (content, options) => session.apply({ type: "system.prepend", content }, options),
    replace: (find, replace, { all = false, ...options } = {}) =>
      session.apply({ type: "system.replace", find, replace, all }, options),
    delete: (content, options) => session.apply({ type: "system.delete", content }, options),
    lock: (text) => session.apply({ type: "system.lock", text }, byPerson),
    unlock: (text) => session.apply({ type: "system.unlock", text }, byPerson),
    locks: async () => readLocks(await session.state()),
  };
}

/** The id of the session that holds an agent's knowledge; derived from owner and agent, so it is the same everywhere. */
export async function knowledgeId(owner: string, agent: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${owner}\n${agent}`));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `knowledge-${hex.slice(0, 32)}`;
}

/** Knowledge has a separate owner, so that it is never listed among the sessions. */
export function knowledgeOwner(owner: string): string {
  return `${owner}/knowledge`;
}

/** An owner's own name has no slash. */
export function isKnowledgeOwner(owner: string): boolean {
  return owner.endsWith("/knowledge");
}
