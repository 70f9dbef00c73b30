import { readWorkspaceConfig, type WorkspaceConfig } from "./config.ts";
import { findProject, type Project } from "./project.ts";
import { locateStore, type StoreFlags, type StoreLocation } from "./store-location.ts";

/** A project with its settings and its store. */
export interface Workspace {
  project: Project;
  config: WorkspaceConfig;
  store: StoreLocation;
}

export interface FindWorkspaceOptions {
  /** Default: the working directory of this process. */
  cwd?: string | undefined;
  flags?: StoreFlags | undefined;
}

/** Finds the project, its config and its store, the same way for every entry point. */
export function findWorkspace({ cwd = process.cwd(), flags }: FindWorkspaceOptions = {}): Workspace {
  const project = findProject(cwd);
  const config = readWorkspaceConfig(project.directory);
  return { project, config, store: locateStore({ project, cwd, flags, config }) };
}

/** What the user should know about the workspace: ignored settings, and memory that is not trusted. */
export function problemsOf({ project, config, store }: Workspace): string[] {
  const untrusted =
    store.source === "default" || store.source === "config" ? project.quarantine?.message : undefined;
  return [untrusted, store.problem, ...config.problems].filter((text) => text !== undefined);
}
