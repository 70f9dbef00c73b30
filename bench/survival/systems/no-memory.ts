import type { System } from "../system.ts";
import { openPlainAgent } from "./plain-agent.ts";

export const noMemory: System = {
  name: "no memory",
  configuration: "a summary and the newest quarter of the window, at 80 % of the window",
  durability: "none: the conversation is in the process",
  isDurable: false,
  open: async (setting) => openPlainAgent(setting, () => ""),
};
