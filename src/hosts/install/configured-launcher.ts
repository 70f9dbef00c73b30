import type { HostSetup } from "../host-setup.ts";
import { readConfig, textOf } from "./config-file.ts";
import { findLauncher, type Launcher, npxLauncher } from "./launcher.ts";
import type { ConfiguredServer, Piece } from "./piece.ts";
import type { Places } from "./places.ts";

/** How a host starts this program: through npx if its config does so already, otherwise as it is found here. */
export function launcherFor(setup: HostSetup, places: Places): Launcher {
  const found = findLauncher(places.env);
  const npx = [npxLauncher.command, ...npxLauncher.args];
  const isNpx = setup.pieces(places, found).some((piece) => {
    const { command, args = [] } = serverIn(piece) ?? {};
    const words = [command, ...args];
    return npx.every((word, index) => words[index] === word);
  });
  return isNpx ? npxLauncher : found;
}

/** The server in the host's config; undefined if the file cannot be read, which its edit or its check reports. */
function serverIn({ path, within, server }: Piece): ConfiguredServer | undefined {
  try {
    return server?.(textOf(readConfig(path, within)));
  } catch {
    return undefined;
  }
}
