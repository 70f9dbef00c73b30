import { after } from "node:test";
import { startPostgres } from "../../../test/support/postgres.ts";
import { testContract } from "../test-support/contract.ts";
import { postgresStore } from "./postgres.ts";

const server = await startPostgres();
after(() => server.stop());

testContract("postgres", async () => {
  const url = await server.database();
  return { open: () => postgresStore({ url }), durable: true };
});
