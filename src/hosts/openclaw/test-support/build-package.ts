import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";

const root = join(import.meta.dirname, "../../../..");

/** The files of the npm package that OpenClaw reads. */
export async function buildPackage(): Promise<string> {
  const folder = temporaryDirectory();
  for (const file of ["package.json", "openclaw.plugin.json"])
    copyFileSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  await build({
    config: false,
    cwd: root,
    entry: { openclaw: "src/hosts/openclaw/index.ts" },
    outDir: join(folder, "dist"),
    format: "esm",
    platform: "node",
    fixedExtension: false,
    dts: false,
    logLevel: "silent",
  });
  return folder;
}
