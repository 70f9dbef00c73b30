import { fenceContent } from "../../context/fence.ts";
import type { Child } from "../../engine/records.ts";
import type { SurfaceView } from "../surface.ts";
import { readChildren } from "./operations.ts";

/** Work delegated to sub-sessions, each with its own memory. */
export const sessionsView: SurfaceView = {
  name: "sessions",
  block: (state) => {
    const children = readChildren(state);
    if (children.length === 0) return undefined;
    const lines = children.map(([id, child]) => line(id, child)).join("\n");
    return { placement: "message", text: `[Delegated work]\n${lines}\n[End of delegated work]` };
  },
};

function line(id: string, { status, task, result }: Child): string {
  const short = (text: string) => fenceContent(text.replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed());
  return `- ${id}: ${short(task)} → ${status}${result === "" ? "" : `: ${short(result)}`}`;
}
