import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { testContract } from "../test-support/contract.ts";
import { sqliteStore } from "./sqlite.ts";

testContract("sqlite", async () => {
  const path = join(temporaryDirectory(), "memory.db");
  return { open: () => sqliteStore({ path }), durable: true };
});
