import { join } from "node:path";

/** Node's compile cache, which speeds up the start of hundreds of processes. */
export const compiled =
  process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, "../../node_modules/.cache/holdfast-tests");
