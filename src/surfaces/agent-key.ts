import type { SessionRow } from "../engine/state.ts";

/** An agent: two owners may each have one of the same name. */
export type AgentOf = Pick<SessionRow, "owner" | "agent">;

/** What tells agents apart; no names of two others come to the same. */
export function agentKey({ owner, agent }: AgentOf): string {
  return JSON.stringify([owner, agent]);
}
