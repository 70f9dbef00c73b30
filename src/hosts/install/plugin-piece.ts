import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { packageRoot } from "../../workspace/package.ts";
import { usesBuild } from "./launcher.ts";
import type { Piece } from "./piece.ts";

const marker = "Written by holdfast init";

/** A file that loads `src/hosts/NAME/index.ts` of this package, built if there is a current build. */
export function modulePlugin(place: Pick<Piece, "path" | "within">, name: string): Piece {
  const module = usesBuild()
    ? join(packageRoot, "dist", `${name}.js`)
    : join(packageRoot, "src/hosts", name, "index.ts");
  return pluginFile(place, "plugin", shim(pathToFileURL(module).href), module);
}

/** A small file of ours that loads a module of this package. */
function pluginFile(
  place: Pick<Piece, "path" | "within">,
  what: string,
  content: string,
  module?: string,
): Piece {
  return {
    ...place,
    what,
    ...(module === undefined ? {} : { module }),
    add(text) {
      if (text === "" || text.includes(marker)) return content;
      throw new HoldfastError(
        "invalid_input",
        `${place.path} is there already and is not ours. Nothing was changed. Move it away and run the command again.`,
        { data: { file: place.path } },
      );
    },
    remove: (text, before) => (text.includes(marker) ? before : text),
    isIn: (text) => text.includes(marker),
    gaps(text) {
      if (text === content) return [];
      return [text.includes(marker) ? { what, kind: "differs" } : { what, kind: "missing" }];
    },
  };
}

/** A module that hands on another one, by an address that holds spaces and the like. */
function shim(url: string): string {
  return `// ${marker}. "holdfast uninstall" takes it away.\nexport { default } from ${JSON.stringify(url)};\n`;
}
