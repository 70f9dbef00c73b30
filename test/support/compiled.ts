import { join } from "node:path";

/** Where Node keeps what it has compiled, so that hundreds of processes start in the time of a few. */
export const compiled =
  process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, "../../node_modules/.cache/holdfast-tests");
