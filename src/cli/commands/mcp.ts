import { existsSync, realpathSync, statSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import { callerResolver } from "../../hosts/caller-session.ts";
import type { McpServerOptions } from "../../mcp/server.ts";
import type { Memory } from "../../sessions/memory.ts";
import { checkId } from "../../sessions/options.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { packageVersion } from "../../workspace/package.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import { projectSession } from "../../workspace/project-session.ts";
import { checkStoreFlags } from "../../workspace/store-location.ts";
import { defaultSurfaces, knownSurfaces, loadSurfaces } from "../../workspace/surfaces.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    surfaces: { type: "string" },
    session: { type: "string" },
    cost: { type: "boolean", default: false },
  });
  if (positionals.length > 0)
    throw new HoldfastError("invalid_input", `mcp takes no argument ${JSON.stringify(positionals[0])}.`);
  leavePluginFolder();
  const project = findProject(process.cwd());
  const names = values.surfaces?.split(",").map((name) => name.trim());
  if (values.cost) {
    const { printCost } = await import("./mcp-cost.ts");
    return printCost(await loadSurfaces(names ?? knownSurfaces, project.root), values.json);
  }
  const surfaces = await loadSurfaces(names ?? defaultSurfaces(project.root), project.root);
  if (values.session !== undefined) checkId(values.session, "session id");
  // Reject contradictory options now; each call reports a store that cannot be opened.
  checkStoreFlags(values);
  return serve(
    {
      surfaces,
      version: packageVersion(),
      openMemory: () => openWorkspaceMemory({ flags: values, surfaces }),
      resolveSession: sessionResolver(project, values.session),
    },
    () => findWorkspace({ flags: values }).store.file,
  );
}

/** Clients start the server of an Agent Plugins bundle in the bundle's folder; the project is where they were started. */
function leavePluginFolder(): void {
  const { PLUGIN_ROOT: folder, PWD: project } = process.env;
  if (!folder || !project || !existsSync(folder) || !existsSync(project)) return;
  if (realpathSync(folder) === realpathSync(process.cwd())) process.chdir(project);
}

/** The given session, or the one that the caller's host is in. */
function sessionResolver({ root, directory }: Project, chosen: string | undefined) {
  if (chosen !== undefined) return async () => chosen;
  return callerResolver({ directory, cwd: process.cwd(), fallback: projectSession(root) });
}

/** Serves until the client disconnects. Only protocol messages go to stdout. */
async function serve(options: McpServerOptions, findFile: () => string): Promise<number> {
  const { serveStdio } = await import("../../mcp/serve-stdio.ts");
  if (process.stdin.isTTY)
    console.error(
      "holdfast mcp is meant to be started by an agent: it speaks MCP on stdin and stdout. Stop it with Ctrl-C.",
    );
  const memory = shareMemory(options.openMemory, findFile);
  const connection = serveStdio({ ...options, openMemory: memory.open }, process.stdin, process.stdout);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.once(signal, () => void connection.close());
  await connection.closed;
  process.stdin.destroy();
  await memory.close();
  return 0;
}

/**
 * Shares one memory between all calls. A failed open is retried at the next call. If the file was deleted or replaced,
 * the memory is reopened: writes to a deleted file would be lost when this process exits.
 */
function shareMemory(
  open: () => Promise<Memory>,
  findFile: () => string,
): { open(): Promise<Memory>; close(): Promise<void> } {
  let opened: Promise<Memory> | undefined;
  let file = "";
  let identity: string | undefined;
  const close = async () => (await opened?.catch(() => undefined))?.close();
  const openAndIdentify = async () => {
    try {
      const memory = await open();
      file = findFile();
      identity = identityOf(file);
      return memory;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    open: () => {
      if (identity !== undefined && identity !== identityOf(file)) {
        void close();
        [opened, identity] = [undefined, undefined];
      }
      opened ??= openAndIdentify();
      return opened;
    },
    close,
  };
}

/** Identifies the file at this path; constant for a store that is not a file. */
function identityOf(file: string): string {
  const stat = file === "" ? undefined : statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.dev}.${stat.ino}` : "none";
}
