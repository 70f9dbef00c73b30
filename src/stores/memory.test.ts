import { memoryStore } from "./memory.ts";
import { testContract } from "./test-support/contract.ts";

testContract("memory", async () => ({ open: async () => memoryStore(), durable: false }));
