import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { objectIn } from "../../engine/json.ts";
import type { Fill } from "../fill.ts";

/** All models of Gemini CLI have this window. */
const window = 1_048_576;

/** The tokens at which Gemini CLI compresses: a share of the window, half of it unless the settings have another. */
export function geminiLimit(_fill: Fill, root: string, env: NodeJS.ProcessEnv = process.env): number {
  const home = env.HOME || homedir();
  const share = [root, home].map(readThreshold).find((threshold) => threshold !== undefined);
  return window * (share ?? 0.5);
}

function readThreshold(folder: string): number | undefined {
  try {
    const settings = objectIn(JSON.parse(readFileSync(join(folder, ".gemini/settings.json"), "utf8")));
    const { compressionThreshold } = objectIn(settings.model);
    return typeof compressionThreshold === "number" ? compressionThreshold : undefined;
  } catch {
    // There is no such file, or one that Gemini CLI itself rejects.
    return undefined;
  }
}
