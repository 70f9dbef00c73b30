// npm run example -- NAME: runs examples/apps/NAME.ts or examples/NAME.ts from the sources, in a temporary folder.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..");
const [name = "", ...args] = process.argv.slice(2);
const file = ["examples/apps", "examples"].map((folder) => join(root, folder, `${name}.ts`)).find(existsSync);
if (file === undefined) {
  const names = globSync("examples/{,apps/}*.ts", { cwd: root })
    // A file that exports something is a part that examples import.
    .filter((path) => !/^ *export /m.test(readFileSync(join(root, path), "utf8")))
    .map((path) => basename(path, ".ts"))
    .toSorted();
  console.error(
    `There is no example ${JSON.stringify(name)}. Run: npm run example -- NAME, with NAME one of ${names.join(", ")}.`,
  );
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
const preload = pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href;
const { status } = spawnSync(process.execPath, ["--import", preload, file, ...args], {
  cwd: folder,
  stdio: "inherit",
});
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
