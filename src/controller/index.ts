export { type Agent, createAgent, type SendOptions, type Turn } from "./agent.ts";
export type { AgentEvent } from "./events.ts";
export type { AgentOptions } from "./options.ts";
export type { ClearingPolicy } from "./plan-clearing.ts";
export type { NudgePolicy } from "./plan-nudges.ts";
export type { Placement } from "./plan-prompt.ts";
export type { Usage } from "./plan-usage.ts";
export type { TurnResult } from "./run-turn.ts";
