import { homedir } from "node:os";
import { join } from "node:path";

/** Holdfast's own files of this user on this machine, outside every repository. */
export function stateDirectory(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "holdfast");
}
