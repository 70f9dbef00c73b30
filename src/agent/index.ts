export type { NudgePolicy } from "../compaction/nudges.ts";
export type { Usage } from "../compaction/usage.ts";
export type { Placement } from "../context/blocks.ts";
export type { ClearingPolicy } from "../engine/agent-defaults.ts";
export { type Agent, createAgent, type SendOptions, type Turn } from "./agent.ts";
export type { AgentEvent } from "./events.ts";
export type { AgentOptions } from "./options.ts";
export type { TurnResult } from "./turn.ts";
