import type { Memory } from "../sessions/memory.ts";

/** How many of the newest sessions to look at: most were written to. */
const newest = 20;

/** A new conversation starts empty, so one line says how to read the notes of earlier ones; "" if there are none. */
export async function earlierSessions(
  memory: Pick<Memory, "listSessions"> | undefined,
  own: string,
): Promise<string> {
  const sessions = (await memory?.listSessions({ limit: newest })) ?? [];
  // The first revision creates a session.
  const [last, ...others] = sessions.filter(({ id, revision }) => id !== own && revision > 1);
  if (!last) return "";
  const more = others.length > 0 ? `; "holdfast sessions" lists the others` : "";
  return `Notes of the last conversation in this project: "holdfast show ${last.id}"${more}.`;
}
