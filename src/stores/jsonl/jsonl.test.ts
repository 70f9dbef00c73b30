import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { testContract } from "../test-support/contract.ts";
import { jsonlStore } from "./jsonl.ts";

testContract("jsonl", async () => {
  const directory = temporaryDirectory();
  return { open: () => jsonlStore({ directory, pollMilliseconds: 10 }), durable: true };
});
