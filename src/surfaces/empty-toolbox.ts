import { HoldfastError } from "../errors.ts";
import type { Toolbox } from "./toolbox.ts";

/** No surfaces: tools need a schema library, and loading it takes longer than a hook may run. */
export const emptyToolbox: Toolbox = {
  tools: [],
  presentAs: () => emptyToolbox,
  changeable: new Set(),
  needsAgent: [],
  describe: () => [],
  extraTools: () => [],
  refresh: async () => {},
  context: () => ({ surfaces: [], guidance: "", blocks: [], ends: {}, system: "", message: "" }),
  notify: async () => [],
  dispatch: async () => {
    throw new HoldfastError("unknown_tool", "This memory was opened without tools.");
  },
};
