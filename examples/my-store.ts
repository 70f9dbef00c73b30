import { memoryStore } from "../src/stores/memory.ts";

/** Stands for a store of your own. */
export async function openStore() {
  return memoryStore();
}
