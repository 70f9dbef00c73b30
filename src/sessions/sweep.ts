import type { Json } from "../engine/json.ts";
import type { Memory } from "./memory.ts";

/** How far retention has got. Kept in the store, so that every process knows it. */
export interface Sweep {
  /** When the last sweep ended. */
  doneAt: number;
  /** Where the current one is; undefined between two. */
  position?: { owner: number; after?: { updatedAt: number; id: string } };
  /** Since when the store has been over its limit. */
  overSince?: number;
  /** 1: tighter rules, 2: archived sessions too, because the store stays over its limit. */
  pressure?: number;
}

export interface SweepState {
  read(): Promise<Json | undefined>;
  write(sweep: Sweep): Promise<void>;
}

/** Undefined if there is none, or a newer version wrote it differently. */
export async function readSweep(state: Pick<SweepState, "read">): Promise<Sweep | undefined> {
  const value = await state.read();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { doneAt, position, overSince, pressure } = value;
  if (typeof doneAt !== "number") return undefined;
  return {
    doneAt,
    ...(isPosition(position) ? { position } : {}),
    ...(typeof overSince === "number" ? { overSince } : {}),
    ...(typeof pressure === "number" ? { pressure } : {}),
  };
}

function isPosition(value: Json | undefined): value is NonNullable<Sweep["position"]> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.owner === "number"
  );
}

/** The progress has a separate owner, so that it is never listed among the sessions. */
export function retentionOwner(owner: string): string {
  return `${owner}/retention`;
}

/** The session that holds an owner's progress. */
export async function sweepId(owner: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(owner));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `retention-${hex.slice(0, 32)}`;
}

/** Reading creates nothing. */
export function sweepStateIn(memory: Pick<Memory, "findSession" | "openSession">, id: string): SweepState {
  const key = "sweep";
  return {
    read: async () => (await (await memory.findSession(id))?.scratch.get(key))?.value,
    write: async (sweep) => {
      await (await memory.openSession(id)).scratch.set(key, { ...sweep }, { actor: { kind: "system" } });
    },
  };
}
