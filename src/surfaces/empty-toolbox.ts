import { HoldfastError } from "../errors.ts";
import type { Toolbox } from "./toolbox.ts";

/** No surfaces at all: tools need schemas, and those need a library that takes longer to load than a hook may take. */
export const emptyToolbox: Toolbox = {
  tools: [],
  changeable: new Set(),
  needsAgent: [],
  describe: () => [],
  extraTools: () => [],
  refresh: async () => {},
  context: () => ({ surfaces: [], guidance: "", blocks: [], frozen: [], ends: {}, system: "", message: "" }),
  notify: async () => [],
  dispatch: async () => {
    throw new HoldfastError("unknown_tool", "This memory was opened without tools.");
  },
};
