import { readWorkspaceConfig, type WorkspaceConfig } from "./config.ts";
import { findProject, type Project } from "./project.ts";
import { locateStore, type StoreFlags, type StoreLocation } from "./store-location.ts";

/** A project with its settings and its store. */
export interface Workspace {
  project: Project;
  config: WorkspaceConfig;
  store: StoreLocation;
}

export interface WorkspaceQuestion {
  /** Default: the working directory of this process. */
  cwd?: string | undefined;
  flags?: StoreFlags | undefined;
}

/** Which project, which config, which store: the answer is the same for every program that asks in this project. */
export function findWorkspace({ cwd = process.cwd(), flags }: WorkspaceQuestion = {}): Workspace {
  const project = findProject(cwd);
  const config = readWorkspaceConfig(project.directory);
  return { project, config, store: locateStore({ project, cwd, flags, config }) };
}
