import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { installedRoot, usesBuild } from "./launcher.ts";
import type { FileLocation, Gap, Piece } from "./piece.ts";

/** In every file that is ours as a whole. */
export const ownMarker = "Written by holdfast init";

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

/** A module that re-exports another one by URL, so that paths with spaces work. */
function shim(url: string): string {
  return `// ${ownMarker}. "holdfast uninstall" removes it.\nexport { default } from ${JSON.stringify(url)};\n`;
}
