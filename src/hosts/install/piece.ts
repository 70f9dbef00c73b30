import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { installedRoot, usesBuild } from "./launcher.ts";

/** How a host starts our MCP server, according to its config. */
export interface ConfiguredServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The user disabled it, so the host does not start it. */
  isOff?: boolean;
}

/** A part of ours that is missing, that differs from what init would write but may still work, or a choice to know of. */
export interface Gap {
  /** For a choice: a sentence, without its subject, which is the file. */
  what: string;
  kind: "missing" | "differs" | "choice";
}

/** A config file, and the folder that links must not lead it out of. */
export type FileLocation = Pick<Piece, "path" | "within">;

/** One thing that init adds to one file of a host. All texts are whole files; "" is a missing file. */
export interface Piece {
  /** Its name in messages: "MCP server", "hooks", "plugin". */
  what: string;
  path: string;
  /** The folder that links must not lead the file out of: the project. Others get its files too. */
  within?: string;
  add(text: string): string;
  /** The text without our part, and with what `before` had there. */
  remove(text: string, before: string): string;
  /** Whether anything of ours is in the text. */
  isIn(text: string): boolean;
  /** The parts that are missing, or that differ from those of init. */
  gaps(text: string): Gap[];
  /** The server as it is configured. */
  server?(text: string): ConfiguredServer | undefined;
  /** The command line of our hook for each event. */
  hooks?(text: string): Record<string, string>;
  /** The module that a plugin file loads. */
  module?: string;
}

/** In every file that is ours as a whole. */
export const ownMarker = 'Written by holdfast init. "holdfast uninstall" removes it.';

interface OwnFile {
  what: string;
  /** Contains the marker. */
  content: string;
  /** Doctor's finding if the file is missing. Default: a missing part. */
  missing?: Gap["kind"];
  module?: string;
}

/** A whole file of ours. A file of the same name without the marker belongs to the user and stays. */
export function ownFile(
  location: FileLocation,
  { what, content, missing = "missing", module }: OwnFile,
): Piece {
  const isOurs = (text: string) => text.includes(ownMarker);
  return {
    ...location,
    what,
    ...(module === undefined ? {} : { module }),
    add(text) {
      if (text === "" || isOurs(text)) return content;
      throw new HoldfastError(
        "invalid_input",
        `${location.path} already exists and is not ours. Nothing was changed. Move it away and run the command again.`,
        { data: { file: location.path } },
      );
    },
    remove: (text, before) => (isOurs(text) ? before : text),
    isIn: isOurs,
    gaps: (text) =>
      text === content ? [] : [{ what: `the ${what}`, kind: isOurs(text) ? "differs" : missing }],
  };
}

/** A file that loads `src/hosts/NAME/index.ts` of this package, or its build if that is current. */
export function modulePlugin(location: FileLocation, name: string): Piece {
  const module = usesBuild()
    ? join(installedRoot(), "dist", `${name}.js`)
    : join(installedRoot(), "src/hosts", name, "index.ts");
  return ownFile(location, { what: "plugin", content: shim(pathToFileURL(module).href), module });
}

/** A plugin that is another one, by its URL so that paths with spaces work. If that one is gone, the agent starts without it. */
function shim(url: string): string {
  const file = JSON.stringify(url);
  return `// ${ownMarker}
import { existsSync } from "node:fs";
export default async (...given) => (existsSync(new URL(${file})) ? (await import(${file})).default(...given) : {});
`;
}
