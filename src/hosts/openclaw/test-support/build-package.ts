import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsdown";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import { writeJson } from "../../test-support/clients.ts";

const root = join(import.meta.dirname, "../../../..");

/**
 * The files of the npm package that OpenClaw reads. At each start it copies a plugin with the packages that it depends
 * on; a checkout has every optional one, so here they are built in.
 */
export async function buildPackage(): Promise<string> {
  const folder = temporaryDirectory();
  for (const path of ["openclaw.plugin.json", "plugins/agent-plugins/skills"])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  const { name, version, type, openclaw } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeJson(join(folder, "package.json"), { name, version, type, openclaw });
  await build({
    config: false,
    cwd: root,
    entry: { openclaw: "src/hosts/openclaw/index.ts" },
    outDir: join(folder, "dist"),
    format: "esm",
    platform: "node",
    inputOptions: { resolve: { mainFields: ["module", "main"] } },
    deps: { alwaysBundle: () => true, neverBundle: ["pg"] },
    fixedExtension: false,
    dts: false,
    logLevel: "silent",
  });
  return folder;
}
