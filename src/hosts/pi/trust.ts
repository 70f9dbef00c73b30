import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { settingsIn } from "../doctor/host-settings.ts";
import type { Places } from "../install/places.ts";
import { userFolder } from "./files.ts";

const check = "trust";

/** From 0.79 on, pi loads a project's extensions only if the project is trusted. */
export function checkTrust(places: Places, version: string): Finding[] {
  return [checkProject(places, version)];
}

function checkProject(places: Places, version: string): Finding {
  const [, minor] = /^0\.(\d+)/.exec(version) ?? [];
  if (places.scope === "user" || (minor !== undefined && Number(minor) < 79)) return ok(check, "not needed");
  const folder = userFolder(places);
  const [saved = {}] = settingsIn(join(folder, "trust.json"));
  const fallback = settingsIn(join(folder, "settings.json")).map((value) => value.defaultProjectTrust)[0];
  const decided = foldersUp(realpathSync(places.root))
    .map((path) => saved[path])
    .find((decision) => typeof decision === "boolean");
  const remedy = "Start pi here, type /trust and trust the project; for one run: pi --approve.";
  if (decided ?? fallback === "always") return ok(check, "pi trusts the project");
  if (decided === false || fallback === "never")
    return problem(check, "pi does not trust the project, so it does not load its extensions.", remedy);
  return problem(check, "pi does not trust the project yet, so it does not load its extensions.", remedy);
}

/** A folder and all its parents. */
function foldersUp(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersUp(dirname(folder))];
}
