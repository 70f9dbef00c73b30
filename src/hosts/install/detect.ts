import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { findProgram } from "./launcher.ts";
import type { Places } from "./places.ts";

/** The path that shows that a host is installed or used here; undefined if there is none. */
export function detect(
  { program }: Host,
  { userFolder, projectFiles }: HostSetup,
  places: Places,
): string | undefined {
  const found = findProgram(program, places.env);
  if (found !== undefined) return found;
  const folder = userFolder(places);
  if (existsSync(folder)) return folder;
  if (places.scope === "user") return undefined;
  return projectFiles.map((name) => join(places.root, name)).find((path) => existsSync(path));
}
