import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { userConfigFile } from "../../workspace/config.ts";
import { settings } from "../../workspace/settings.ts";
import { readConfig, textOf } from "./config-file.ts";
import { setJson } from "./json-text.ts";
import { locationOf, type Places } from "./places.ts";
import type { FileChange } from "./write-changes.ts";

/** The surfaces in the value of a flag. */
export function readSurfaces(list: string): NonNullable<Places["surfaces"]> {
  const { kind } = settings.surfaces;
  const surfaces = kind.read(kind.parse(list));
  if (surfaces === undefined || surfaces.length === 0)
    throw new HoldfastError(
      "invalid_input",
      `--surfaces must be ${kind.expected} (got ${JSON.stringify(list)}).`,
    );
  return surfaces;
}

/** Plans to write the chosen surfaces to our own config. `uninstall` leaves that file alone: it is the user's. */
export function planSurfaces(surfaces: NonNullable<Places["surfaces"]>, places: Places): FileChange {
  const own = places.scope === "user" ? userConfigFile(places.env) : join(places.root, "holdfast.json");
  const { path, within } = locationOf(places, own);
  const file = readConfig(path, within);
  const after = setJson(textOf(file), ["surfaces"], surfaces, path);
  return { host: "holdfast", path: file.path, before: file.bytes, after: Buffer.from(after) };
}
