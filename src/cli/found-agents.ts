import type { Host } from "../hosts/host.ts";
import { hosts } from "../hosts/hosts.ts";
import { detect, wiredPlaces } from "../hosts/install/detect.ts";
import { findPlaces } from "../hosts/install/places.ts";

/** A coding agent found here, and whether it is connected, in this project or for all of the user's. */
export interface FoundAgent {
  title: string;
  isConnected: boolean;
}

/** The coding agents found in a project. */
export async function foundAgents(root: string): Promise<FoundAgent[]> {
  const found: FoundAgent[] = [];
  const places = findPlaces("project", root);
  for (const host of hosts) {
    if (detect(host, await host.setup(), places))
      found.push({ title: host.title, isConnected: await isConnected(host, root) });
  }
  return found;
}

/** Whether init or a plugin connected a coding agent. */
export async function isConnected(host: Host, root: string): Promise<boolean> {
  const setup = await host.setup();
  const places = findPlaces("project", root);
  return wiredPlaces(host, setup, places).length > 0 || setup.findPlugin?.(places) !== undefined;
}
