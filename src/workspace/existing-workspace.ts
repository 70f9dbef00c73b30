import { existsSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { requireValid } from "./config-problems.ts";
import { type FindWorkspaceOptions, findWorkspace, type Workspace } from "./workspace.ts";

/** The workspace of a command that needs an existing memory. Throws on a bad config, or if there is no store. */
export async function findExistingWorkspace(options: FindWorkspaceOptions): Promise<Workspace> {
  const workspace = findWorkspace(options);
  await requireValid(workspace.config);
  const { file, url } = workspace.store;
  if (file === "" || existsSync(file)) return workspace;
  throw new HoldfastError(
    "not_found",
    `There is no memory at ${file} yet. Run "holdfast init" in the project, or choose a store with --db or --store.`,
    { data: { store: url } },
  );
}
