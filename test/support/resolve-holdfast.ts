import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { parse } from "jsonc-parser";

/** Lets the examples import the package by name without a build, using the paths in tsconfig.json. */
const root = new URL("../../", import.meta.url);
const { paths } = parse(readFileSync(new URL("tsconfig.json", root), "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

registerHooks({
  resolve(specifier, context, next) {
    const entry = paths[specifier]?.[0];
    return next(entry === undefined ? specifier : new URL(entry, root).href, context);
  },
});
