import { checkCounts, checkTexts } from "../../engine/check-fields.ts";
import type { Json } from "../../engine/json.ts";
import { compareKeys, type KeyValue } from "../../engine/records.ts";
import { normaliseTexts, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { KeyValueResult } from "./state-operations.ts";

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
