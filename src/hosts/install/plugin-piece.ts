import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { packageRoot } from "../../workspace/package.ts";
import { usesBuild } from "./launcher.ts";
import type { FileLocation, Piece } from "./piece.ts";

const marker = "Written by holdfast init";

/** A file that loads `src/hosts/NAME/index.ts` of this package, or its build if that is current. */
export function modulePlugin(location: FileLocation, name: string): Piece {
  const module = usesBuild()
    ? join(packageRoot, "dist", `${name}.js`)
    : join(packageRoot, "src/hosts", name, "index.ts");
  return pluginFile(location, "plugin", shim(pathToFileURL(module).href), module);
}

/** A small file that loads a module of this package. */
function pluginFile(location: FileLocation, what: string, content: string, module?: string): Piece {
  return {
    ...location,
    what,
    ...(module === undefined ? {} : { module }),
    add(text) {
      if (text === "" || text.includes(marker)) return content;
      throw new HoldfastError(
        "invalid_input",
        `${location.path} already exists and is not ours. Nothing was changed. Move it away and run the command again.`,
        { data: { file: location.path } },
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

/** A module that re-exports another one by URL, so that paths with spaces work. */
function shim(url: string): string {
  return `// ${marker}. "holdfast uninstall" removes it.\nexport { default } from ${JSON.stringify(url)};\n`;
}
