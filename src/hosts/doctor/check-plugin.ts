import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Host } from "../install/host-table.ts";
import { findLauncher, packageRoot } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { runProgram } from "./run-program.ts";

const check = "plugin";

/** Whether the module that the host loads can be loaded. */
export async function checkPlugin(host: Host, places: Places, remedy: string): Promise<Finding[]> {
  if (host.name === "openclaw") return [checkOpenClaw()];
  const plugin = host.pieces(places, findLauncher(places.env)).find(({ module }) => module !== undefined);
  if (!plugin || !existsSync(plugin.path)) return [];
  const url = pathToFileURL(plugin.path).href;
  const script = `const { default: plugin } = await import(${JSON.stringify(url)}); if (typeof plugin !== "function") throw new Error("its default export is no function");`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  const { code, stderr, trouble } = await runProgram(process.execPath, args, {
    cwd: places.root,
    limit: 20_000,
  });
  if (code === 0) return [ok(check, "loads")];
  const why = trouble ?? stderr.split("\n").find((line) => /Error/.test(line)) ?? `exit code ${code}`;
  return [problem(check, `${plugin.path} cannot be loaded: ${why.trim()}`, remedy)];
}

function checkOpenClaw(): Finding {
  const missing = ["openclaw.plugin.json", "dist/openclaw.js"]
    .map((name) => join(packageRoot, name))
    .find((path) => !existsSync(path));
  if (missing === undefined) return ok(check, "its files are there");
  return problem(
    check,
    `${missing} is missing.`,
    "Install the package again; in a checkout, run npm run build.",
  );
}
