import { testContract } from "../../test/support/contract.ts";
import { memoryStore } from "./memory.ts";

testContract("memory", async () => ({ open: async () => memoryStore(), durable: false }));
