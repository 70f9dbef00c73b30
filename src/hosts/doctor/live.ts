import type { Host } from "../install/host-table.ts";
import type { Places } from "../install/places.ts";
import { type Finding, note } from "./finding.ts";

export async function checkLive(_host: Host, _places: Places): Promise<Finding[]> {
  return [note("live", "")];
}
