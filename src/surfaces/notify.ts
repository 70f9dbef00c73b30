import type { LifecycleEvent, LifecycleSession, LifecycleSurface } from "./surface.ts";

/** Notifies surfaces of a lifecycle event of the conversation, one after another. Returns their warnings and failures. */
export async function notifySurfaces(
  surfaces: readonly LifecycleSurface[],
  session: LifecycleSession,
  event: LifecycleEvent,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const surface of surfaces) {
    try {
      warnings.push(...((await surface.onLifecycle?.(session, event)) ?? []));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`The surface "${surface.name}" failed at "${event.kind}": ${reason}`);
    }
  }
  return warnings;
}
