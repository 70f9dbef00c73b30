import type { Moment, MomentSession, MomentSurface } from "./surface.ts";

/** Notifies surfaces of a moment of the conversation, one after another. Returns their warnings and failures. */
export async function notifySurfaces(
  surfaces: readonly MomentSurface[],
  session: MomentSession,
  moment: Moment,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const surface of surfaces) {
    try {
      warnings.push(...((await surface.onMoment?.(session, moment)) ?? []));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`The surface "${surface.name}" failed at the moment "${moment.kind}": ${reason}`);
    }
  }
  return warnings;
}
