import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../workspace/package.ts";
import { ownFile, ownMarker } from "./own-file.ts";
import type { Piece } from "./piece.ts";
import { locationOf, type Places } from "./places.ts";

/** The skill that teaches an agent when to write what, in a host's folder of skills. Memory works without it. */
export function skillPiece(places: Places, skills: string): Piece {
  const [file = ""] = globSync("plugins/*/skills/holdfast/SKILL.md", { cwd: packageRoot });
  const skill = readFileSync(join(packageRoot, file), "utf8");
  return ownFile(locationOf(places, join(skills, "holdfast", "SKILL.md")), {
    what: "skill",
    content: `${skill.trimEnd()}\n\n<!-- ${ownMarker}. "holdfast uninstall" removes it. -->\n`,
    missing: "differs",
  });
}
