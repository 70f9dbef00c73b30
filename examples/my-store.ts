import { memoryStore } from "../src/stores/memory.ts";

/** Replace this with your own store. */
export async function openStore() {
  return memoryStore();
}
