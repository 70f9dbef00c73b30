import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../hosts.ts";
import { findProgram } from "./launcher.ts";
import type { Places } from "./places.ts";

/** Why a host is taken to be present; undefined when it is not. */
export function detect(host: Host, places: Places): string | undefined {
  const program = findProgram(host.program, places.env);
  if (program !== undefined) return program;
  const folder = host.userFolder(places);
  if (existsSync(folder)) return folder;
  if (places.scope === "user") return undefined;
  return host.projectFiles.map((name) => join(places.root, name)).find((path) => existsSync(path));
}
