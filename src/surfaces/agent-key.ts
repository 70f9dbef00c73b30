import type { SessionRow } from "../engine/state.ts";

/** Identifies an agent: names are unique per owner only. */
export type AgentOf = Pick<SessionRow, "owner" | "agent">;

/** A map key that is unique per owner and agent. */
export function agentKey({ owner, agent }: AgentOf): string {
  return JSON.stringify([owner, agent]);
}
