export type { NudgePolicy } from "../compaction/nudges.ts";
export type { Usage } from "../compaction/usage.ts";
export type { Placement } from "../context/placement.ts";
export type { ClearingPolicy } from "../engine/clearing-policy.ts";
export { type Agent, createAgent, type SendOptions, type Turn } from "./agent.ts";
export type { AgentEvent } from "./events.ts";
export type { AgentOptions } from "./options.ts";
export type { TurnResult } from "./turn.ts";
