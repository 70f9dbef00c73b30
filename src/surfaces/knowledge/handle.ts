import { checkCounts, checkRevision, checkTexts } from "../../engine/check-fields.ts";
import type { EditCounts } from "../../engine/edit-text.ts";
import { requireEntries } from "../../engine/history-start.ts";
import type { Json } from "../../engine/json.ts";
import { compareKeys, type KeyValue } from "../../engine/records.ts";
import { revertChanges } from "../../engine/state.ts";
import { hashOf } from "../call-key.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import {
  readLocks,
  readSkills,
  readSystemPrompt,
  readTools,
  type SavedSkill,
  type SavedTool,
  type Version,
} from "./operations.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

export interface KeyList {
  keys: { key: string; version: number }[];
  /** Pass it as `after` to continue; undefined at the end. */
  next: string | undefined;
}

/** `expected`: the current version, 0 if the key must not exist; any other version is a conflict. */
type ExpectedVersion = ApplyOptions & { expected?: number | undefined };

/** JSON values by key, for programs. */
export interface KeyValues {
  get(key: string): Promise<KeyValue | undefined>;
  set(key: string, value: Json, options?: ExpectedVersion): Done<Version>;
  delete(key: string, options?: ExpectedVersion): Done<Version>;
  /** Keys that start with the prefix, in order. */
  list(options?: {
    prefix?: string | undefined;
    after?: string | undefined;
    limit?: number | undefined;
  }): Promise<KeyList>;
}

/** The permanent instructions of an agent. */
export interface SystemPrompt {
  read(): Promise<string>;
  /** As it was right after a revision of the knowledge. */
  at(revision: number): Promise<string>;
  write(content: string, options?: ApplyOptions): Done<EditCounts>;
  append(content: string, options?: ApplyOptions): Done<EditCounts>;
  prepend(content: string, options?: ApplyOptions): Done<EditCounts>;
  replace(find: string, replacement: string, options?: ApplyOptions & { all?: boolean }): Done<EditCounts>;
  delete(content: string, options?: ApplyOptions): Done<EditCounts>;
  /** Until it is unlocked, no edit can change this passage. */
  lock(text: string): Done<EditCounts>;
  unlock(text: string): Done<EditCounts>;
  locks(): Promise<string[]>;
}

/** An agent's permanent knowledge, shared by all its sessions; journaled like a session, with history, undo and watch. */
export interface Knowledge<Owner extends SessionHandle = SessionHandle> {
  /** Its journal: `history`, `at`, `diff`, `undo` and `watch` work as on any session. */
  readonly session: Owner;
  readonly systemPrompt: SystemPrompt;
  readonly state: KeyValues;
  skills(): Promise<SavedSkill[]>;
  saveSkill(skill: Omit<SavedSkill, "version">, options?: ApplyOptions): Done<Version>;
  deleteSkill(name: string, options?: ApplyOptions): Done<Version>;
  tools(): Promise<SavedTool[]>;
  saveTool(tool: Omit<SavedTool, "version">, options?: ApplyOptions): Done<Version>;
  deleteTool(name: string, options?: ApplyOptions): Done<Version>;
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

const lastCharacter = "\u{10ffff}";

/** `open` returns the session that stores the values. */
export function keyValuesOf(open: () => Promise<SessionHandle>): KeyValues {
  return {
    async get(key) {
      checkTexts({ key }, "key");
      const [record] = await (await open()).records("state", [key]);
      return record?.value;
    },
    async set(key, value, { expected, ...options } = {}) {
      const more = expected === undefined ? {} : { expected };
      return (await open()).apply({ type: "state.set", key, value, ...more }, options);
    },
    async delete(key, { expected, ...options } = {}) {
      const more = expected === undefined ? {} : { expected };
      return (await open()).apply({ type: "state.delete", key, ...more }, options);
    },
    async list({ prefix = "", after, limit = 100 } = {}) {
      checkTexts({ prefix, after: after ?? "" }, "prefix", "after");
      checkCounts({ limit }, "limit");
      const records = await (await open()).records("state", undefined, {
        from: prefix,
        to: `${prefix}${lastCharacter}`,
      });
      const listed = records.filter(
        ({ key }) => key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0),
      );
      const keys = listed.slice(0, limit).map(({ key, value }) => ({ key, version: value.version }));
      return { keys, next: listed.length > limit ? keys.at(-1)?.key : undefined };
    },
  };
}

/** The id of the session that holds an agent's knowledge; derived from owner and agent, so it is the same everywhere. */
export async function knowledgeId(owner: string, agent: string): Promise<string> {
  return `knowledge-${await hashOf(`${owner}\n${agent}`)}`;
}

/** Knowledge has a separate owner, so that it is never listed among the sessions. */
export function knowledgeOwner(owner: string): string {
  return `${owner}/knowledge`;
}

/** An owner's own name has no slash. */
export function isKnowledgeOwner(owner: string): boolean {
  return owner.endsWith("/knowledge");
}
