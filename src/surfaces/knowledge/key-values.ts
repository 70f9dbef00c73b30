import { checkCounts, checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Json } from "../../engine/json.ts";
import type { Limits } from "../../engine/limits.ts";
import type { Handlers } from "../../engine/operations.ts";
import { compareKeys, type KeyValue } from "../../engine/records.ts";
import { countCharacters, isLongerThan, normaliseTexts, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";

/** JSON values by key. `expected` is the version the caller knows; 0: the key must not exist yet. */
export type KeyValueOperation =
  | { type: "state.set"; key: string; value: Json; expected?: number }
  | { type: "state.delete"; key: string; expected?: number };

export type KeyValueResult = { version: number };

export const keyValueOperations: Handlers<KeyValueOperation, KeyValueResult> = {
  "state.set"(draft, operation, _state, { limits }) {
    const { key } = operation;
    const before = readValue(draft, operation);
    checkSize(operation, limits);
    if (!before) {
      if (draft.counter("states") >= limits.stateKeys) throw tooManyKeys(limits.stateKeys);
      draft.count("states", 1);
    }
    const version = draft.row.revision + 1;
    draft.put("state", key, { value: operation.value, version });
    return { result: { version }, warnings: [] };
  },
  "state.delete"(draft, operation) {
    if (!readValue(draft, operation)) throw noSuchKey(operation.key);
    draft.remove("state", operation.key);
    draft.count("states", -1);
    return { result: { version: 0 }, warnings: [] };
  },
};

/** The current value; throws if it is not at the version the caller expects. */
function readValue(draft: Draft, operation: KeyValueOperation): KeyValue | null {
  checkTexts(operation, "key");
  const { key, expected } = operation;
  const before = draft.record("state", key);
  if (expected !== undefined && expected !== (before?.version ?? 0))
    throw versionConflict(key, expected, before);
  return before;
}

function checkSize({ key, value }: Extract<KeyValueOperation, { type: "state.set" }>, limits: Limits): void {
  if (key === "" || isLongerThan(key, limits.stateKeyCharacters)) {
    throw new HoldfastError(
      "invalid_input",
      `A key must have 1 to ${limits.stateKeyCharacters} characters; ${quote(key)} has ${countCharacters(key)}. Nothing was changed.`,
    );
  }
  if (value === undefined) {
    throw new HoldfastError("invalid_input", `"value" is missing for ${quote(key)}. Nothing was changed.`);
  }
  const characters = JSON.stringify(value).length;
  if (characters > limits.stateValueCharacters) {
    throw new HoldfastError(
      "over_limit",
      `The value for ${quote(key)} is ${characters} characters of JSON; the limit is ${limits.stateValueCharacters}. Nothing was changed. Store less, or split it over several keys.`,
      { data: { characters, limit: limits.stateValueCharacters } },
    );
  }
}

function noSuchKey(key: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `There is no value under ${quote(key)}. Call list_state to see the keys.`,
    {
      data: { key },
    },
  );
}

function versionConflict(key: string, expected: number, current: KeyValue | null): HoldfastError {
  const now = current ? `it is at version ${current.version}` : "there is no such key";
  return new HoldfastError(
    "conflict",
    `${quote(key)} was expected at version ${expected}, but ${now}. Nothing was changed. Read it again and retry.`,
    { data: { key, expected, version: current?.version ?? 0, value: current?.value ?? null } },
  );
}

function tooManyKeys(limit: number): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `There are ${limit} keys already, which is the limit. Nothing was changed. Delete keys you no longer need with delete_state.`,
    { data: { limit } },
  );
}

export interface KeyList {
  keys: { key: string; version: number }[];
  /** Pass it as `after` to continue; undefined at the end. */
  next: string | undefined;
}

/** JSON values by key, for programs. */
export interface KeyValues {
  get(key: string): Promise<KeyValue | undefined>;
  /** `expected`: the current version, 0 if the key must not exist; any other version is a conflict. */
  set(
    key: string,
    value: Json,
    options?: ApplyOptions & { expected?: number },
  ): Promise<AppliedOperation<KeyValueResult>>;
  delete(
    key: string,
    options?: ApplyOptions & { expected?: number },
  ): Promise<AppliedOperation<KeyValueResult>>;
  /** Keys that start with the prefix, in order. */
  list(options?: { prefix?: string; after?: string; limit?: number }): Promise<KeyList>;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Programs can pass any value; functions and BigInts are not JSON. */
function checkJson(key: string, value: unknown): void {
  if (!["bigint", "function", "symbol"].includes(typeof value)) return;
  throw new HoldfastError(
    "invalid_input",
    `The value for ${quote(key)} must be JSON (got ${typeof value}). Nothing was changed. Convert it to text or to a plain object first.`,
    { data: { key } },
  );
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
      const session = await open();
      checkTexts({ key }, "key");
      if (expected !== undefined) checkCounts({ expected }, "expected");
      checkJson(key, value);
      const operation = {
        type: "state.set" as const,
        key,
        value: normaliseTexts(value, "value"),
        ...(expected === undefined ? {} : { expected }),
      };
      return session.change(
        () => operation,
        (earlier) => isSame(earlier.operation, operation),
        options,
      );
    },
    async delete(key, { expected, ...options } = {}) {
      if (expected !== undefined) checkCounts({ expected }, "expected");
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
