import { statSync } from "node:fs";
import { HoldfastError } from "../../errors.ts";
import { followSession } from "../../hosts/session-link.ts";
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
  const project = findProject(process.cwd());
  const names = values.surfaces?.split(",").map((name) => name.trim());
  if (values.cost) {
    const { printCost } = await import("./mcp-cost.ts");
    return printCost(await loadSurfaces(names ?? knownSurfaces, project.root), values.json);
  }
  const surfaces = await loadSurfaces(names ?? defaultSurfaces(project.root), project.root);
  if (values.session !== undefined) checkId(values.session, "session id");
  // Contradictory options are refused now; the calls report a store that cannot be opened.
  checkStoreFlags(values);
  return serve(
    {
      surfaces,
      version: packageVersion(),
      openMemory: () => openWorkspaceMemory({ flags: values, surfaces }),
      resolveSession: sessionOf(project, values.session),
    },
    () => findWorkspace({ flags: values }).store.file,
  );
}

/** A fixed session, or that of the host which started this process, wherever it goes. */
function sessionOf({ root, directory }: Project, chosen: string | undefined): () => Promise<string> {
  if (chosen !== undefined) return async () => chosen;
  const follower = followSession({ directory, cwd: process.cwd(), fallback: projectSession(root) });
  return () => follower.current();
}

/** Serves until the client hangs up. Nothing but the protocol is written to stdout. */
async function serve(options: McpServerOptions, findFile: () => string): Promise<number> {
  const [{ createMcpServer }, { StdioTransport }] = await Promise.all([
    import("../../mcp/server.ts"),
    import("../../mcp/stdio-transport.ts"),
  ]);
  if (process.stdin.isTTY)
    console.error(
      "holdfast mcp is started by an agent and speaks MCP on stdin and stdout. Stop it with Ctrl-C.",
    );
  const memory = openOnce(options.openMemory, findFile);
  const server = createMcpServer({ ...options, openMemory: memory.open });
  const closed = new Promise<void>((resolve) => {
    const transport = new StdioTransport(process.stdin, process.stdout);
    transport.onclose = resolve;
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(signal, () => void transport.close());
    void server.connect(transport);
  });
  await closed;
  process.stdin.destroy();
  await memory.close();
  return 0;
}

/**
 * One memory for all calls. One that could not be opened is tried again at the next call, and one whose file was
 * deleted or replaced is opened anew: what is written to a deleted file is gone with this process.
 */
function openOnce(
  open: () => Promise<Memory>,
  findFile: () => string,
): { open(): Promise<Memory>; close(): Promise<void> } {
  let opened: Promise<Memory> | undefined;
  let file = "";
  let place: string | undefined;
  const close = async () => (await opened?.catch(() => undefined))?.close();
  const openAnew = async () => {
    try {
      const memory = await open();
      file = findFile();
      place = placeOf(file);
      return memory;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  };
  return {
    open: () => {
      if (place !== undefined && place !== placeOf(file)) {
        void close();
        [opened, place] = [undefined, undefined];
      }
      opened ??= openAnew();
      return opened;
    },
    close,
  };
}

/** Which file stands under this name; the same for a store that is no file. */
function placeOf(file: string): string {
  const stat = file === "" ? undefined : statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.dev}.${stat.ino}` : "none";
}
