import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Emitter {
  emitFile(file: { type: "asset"; fileName: string; source: string }): void;
}

type Chunks = Readonly<Record<string, { type: string; moduleIds?: readonly string[] }>>;

/** A build plug-in: writes the licences of the packages whose code is in the build to a file. */
export function licenses(fileName: string) {
  return {
    name: "licenses",
    generateBundle(this: Emitter, _options: unknown, chunks: Chunks) {
      const modules = Object.values(chunks).flatMap(({ moduleIds = [] }) => moduleIds);
      const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
      const source = [...folders]
        .sort()
        .map(licenceOf)
        .join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName, source });
    },
  };
}

function packageFolder(module: string): string | undefined {
  return /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(module)?.[1];
}

function licenceOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? `Licence: ${manifest.license}` : readFileSync(join(folder, file), "utf8");
  return `${manifest.name} ${manifest.version}\n\n${text.trim()}\n`;
}
