import { join, resolve } from "node:path";
import { homeFolder, projectFolder } from "../../state-folder.ts";
import type { SettingValues } from "../../workspace/settings.ts";
import type { Host } from "../host.ts";

export type Scope = "project" | "user";

/** The scope, the project, the user's home, and the environment variables that override paths. */
export interface Places {
  scope: Scope;
  /** The project's root. */
  root: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The surfaces that init is about to choose. Default: those of the config. */
  surfaces?: SettingValues["surfaces"] | undefined;
}

export function findPlaces(scope: Scope, root: string, env: Places["env"] = process.env): Places {
  return { scope, root: resolve(root), home: homeFolder(env), env };
}

/** The folder of a host's configuration for all projects. */
export function userFolderOf({ userFolder }: Pick<Host, "userFolder">, { env, home }: Places): string {
  return userFolder({ ...env, HOME: home });
}

/** The folder of a host's configuration: for all projects, or the one with this name in the project. */
export function configFolder(host: Pick<Host, "userFolder">, places: Places, name: string): string {
  return places.scope === "user" ? userFolderOf(host, places) : join(places.root, name);
}

/** The location of a host's file. In a project, no link may lead it out of the project. */
export function locationOf({ scope, root }: Places, path: string): { path: string; within?: string } {
  return scope === "project" ? { path, within: root } : { path };
}

/** Where hooks keep their compiled code; it is rebuilt when it is missing. */
export function cacheFolder({ env, home }: Places): string {
  return join(env.XDG_CACHE_HOME || join(home, ".cache"), "holdfast");
}

/** The folder of the install record and the copies of the original files. */
export function recordFolder({ scope, root, env, home }: Places): string {
  if (scope === "project") return projectFolder(root, { ...env, HOME: home });
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "holdfast");
}
