import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { isCurrentAtomically, prepareSchema } from "./schema.ts";

test("a schema that another process is creating is not mistaken for a foreign one [stores.schema-race]", () => {
  const path = join(temporaryDirectory(), "memory.db");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = WAL");
  const own = new DatabaseSync(path);
  let made = false;
  const slow = new Proxy(own, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "prepare" && String(args[0]).includes("sqlite_schema") && !made) {
          made = true;
          prepareSchema(other, path, true);
        }
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  assert.equal(isCurrentAtomically(slow, path), false);
  assert.ok(made);
  assert.equal(isCurrentAtomically(own, path), true);
  own.close();
  other.close();
});
