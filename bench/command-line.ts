import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { compare, type Figure } from "./measure.ts";

const cli = join(import.meta.dirname, "..", "dist", "cli.js");

/** Startup of the built CLI, compared with bare Node. */
export async function commandLineFigures(): Promise<Figure[]> {
  const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { env });
    if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
  };
  const { work, baseline, ratio } = await compare(
    () => run(cli, "--version"),
    () => run("-e", "0"),
    { rounds: 41 },
  );
  return [
    {
      name: "holdfast --version / node -e 0",
      value: ratio,
      target: 1.5,
      limit: "max",
      unit: "×",
      detail: `${work.toFixed(1)} ms / ${baseline.toFixed(1)} ms`,
    },
  ];
}
