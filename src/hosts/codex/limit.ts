import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Fill } from "../fill.ts";

/** The tokens at which Codex compacts: its own setting, or nine tenths of the window that the rollout reports. */
export function codexLimit(
  { window }: Fill,
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): number | undefined {
  const user = env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
  for (const folder of [join(root, ".codex"), user]) {
    const [, tokens] = /^model_auto_compact_token_limit\s*=\s*([\d_]+)/m.exec(readText(folder)) ?? [];
    if (tokens !== undefined) return Number(tokens.replaceAll("_", ""));
  }
  return window && window * 0.9;
}

function readText(folder: string): string {
  try {
    return readFileSync(join(folder, "config.toml"), "utf8");
  } catch {
    return "";
  }
}
