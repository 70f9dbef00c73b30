import { statSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import {
  type ConfigFlags,
  type ReadConfigOptions,
  readWorkspaceConfig,
  type WorkspaceConfig,
} from "./config.ts";
import { requireValid } from "./config-file.ts";
import { findProject, type Project } from "./project.ts";
import { locateStore, type StoreFlags, type StoreLocation } from "./store-location.ts";

/** A project with its settings and its store. */
export interface Workspace {
  project: Project;
  config: WorkspaceConfig;
  store: StoreLocation;
}

export interface FindWorkspaceOptions extends Pick<ReadConfigOptions, "host"> {
  /** Default: the working directory of this process. */
  cwd?: string | undefined;
  flags?: StoreFlags | undefined;
  /** The parsed arguments of a command whose flags are settings. */
  settings?: ConfigFlags | undefined;
}

/** Finds the project, its config and its store, the same way for every entry point. */
export function findWorkspace({
  cwd = process.cwd(),
  flags,
  settings,
  host,
}: FindWorkspaceOptions = {}): Workspace {
  const project = findProject(cwd);
  const config = readWorkspaceConfig(project, { flags: settings, host });
  return { project, config, store: locateStore({ project, cwd, flags, config }) };
}

/**
 * The workspace of a command that needs an existing memory. Throws if there is no store, and on a bad config unless
 * `checkConfig` only reports it.
 */
export async function findExistingWorkspace(
  options: FindWorkspaceOptions,
  checkConfig = requireValid,
): Promise<Workspace> {
  const workspace = findWorkspace(options);
  await checkConfig(workspace.config);
  const { file, url } = workspace.store;
  if (file === "" || hasContent(file)) return workspace;
  throw new HoldfastError(
    "not_found",
    `There is no memory at ${file} yet. Run "holdfast init" in the project, or choose a store with --store.`,
    { data: { store: url } },
  );
}

/** Opening an empty file would make a store of it. A store whose first write is still in its log has content. */
function hasContent(file: string): boolean {
  return [file, `${file}-wal`].some((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}
