import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../workspace/package.ts";
import { usesBuild } from "./launcher.ts";
import { ownFile, ownMarker } from "./own-file.ts";
import type { FileLocation, Piece } from "./piece.ts";

/** A file that loads `src/hosts/NAME/index.ts` of this package, or its build if that is current. */
export function modulePlugin(location: FileLocation, name: string): Piece {
  const module = usesBuild()
    ? join(packageRoot, "dist", `${name}.js`)
    : join(packageRoot, "src/hosts", name, "index.ts");
  return ownFile(location, { what: "plugin", content: shim(pathToFileURL(module).href), module });
}

/** A module that re-exports another one by URL, so that paths with spaces work. */
function shim(url: string): string {
  return `// ${ownMarker}. "holdfast uninstall" removes it.\nexport { default } from ${JSON.stringify(url)};\n`;
}
