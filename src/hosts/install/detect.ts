import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { readConfig, textOf } from "./config-file.ts";
import { findLauncher, findProgram, type Launcher, portableLauncher, sharedServer } from "./launcher.ts";
import type { ConfiguredServer, Piece } from "./piece.ts";
import { type Places, type Scope, userFolderOf } from "./places.ts";
import { readRecord } from "./record.ts";

/** The path that shows that a host is installed or used here; undefined if there is none. */
export function detect(host: Host, { projectFiles }: HostSetup, places: Places): string | undefined {
  const found = findProgram(host.program, places.env);
  if (found !== undefined) return found;
  const folder = userFolderOf(host, places);
  if (existsSync(folder)) return folder;
  if (places.scope === "user") return undefined;
  return projectFiles.map((name) => join(places.root, name)).find((path) => existsSync(path));
}

/** The scopes that contain something of ours, now or according to the record; the project comes first. */
export function wiredPlaces({ name }: Host, setup: HostSetup, places: Places): Places[] {
  const launcher = findLauncher(places.env);
  const piecesOf = (scope: Scope) => setup.pieces({ ...places, scope }, launcher);
  // A file of the user's own that a project needs too does not tell in which scope the host is set up.
  const shared = piecesOf("project").flatMap(({ path, within }) => (within === undefined ? [path] : []));
  const tells = ({ path }: Piece) => setup.hasOneConfig || !shared.includes(path);
  return (["project", "user"] as const)
    .map((scope: Scope) => ({ ...places, scope }))
    .filter(
      (candidate) =>
        readRecord(candidate).files.some((file) => file.host === name) ||
        piecesOf(candidate.scope).some((piece) => tells(piece) && isIn(piece)),
    );
}

function isIn(piece: Piece): boolean {
  try {
    return piece.isIn(textOf(readConfig(piece.path, piece.within)));
  } catch {
    // The wiring check reports an unreadable config, but only if the record shows that it is ours.
    return false;
  }
}

/** How a host starts this program: from the PATH if the project's files do so already, otherwise as it is found here. */
export function launcherFor(setup: HostSetup, places: Places): Launcher {
  const found = findLauncher(places.env);
  const portable = sharedServer(portableLauncher);
  // A program that is on the PATH anyway starts in the same words.
  if (isDeepStrictEqual(sharedServer(found), portable)) return found;
  const isPortable = setup.pieces(places, found).some((piece) => {
    if (piece.within === undefined) return false;
    const { command, args = [] } = serverIn(piece) ?? {};
    const startsWith = (words: readonly string[]) => words.every((word, index) => args[index] === word);
    // An earlier version wrote npx.
    return command === "npx"
      ? startsWith(["--yes", "holdfast"])
      : command === portable.command && startsWith(portable.args);
  });
  return isPortable ? portableLauncher : found;
}

/** The server in the host's config; undefined if the file cannot be read, which its edit or its check reports. */
function serverIn({ path, within, server }: Piece): ConfiguredServer | undefined {
  try {
    return server?.(textOf(readConfig(path, within)));
  } catch {
    return undefined;
  }
}
