import { existsSync, realpathSync, statSync } from "node:fs";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { defaultLimits } from "../../engine/limits.ts";
import { earlierHint, earlierSession } from "../../hosts/earlier-sessions.ts";
import { hookTool } from "../../hosts/hook/event.ts";
import { AgentCalls } from "../../hosts/hook/in-server.ts";
import { listAncestors, workingDirectoryOf } from "../../hosts/processes.ts";
import { hostConversation } from "../../hosts/transcript/past-conversation.ts";
import { projectTool } from "../../mcp/project-tools.ts";
import type { McpServerOptions } from "../../mcp/server.ts";
import type { Memory } from "../../sessions/memory.ts";
import { checkId } from "../../sessions/options.ts";
import { inHost, type Surface } from "../../surfaces/surface.ts";
import { createToolbox } from "../../surfaces/toolbox.ts";
import {
  chosenSurfaces,
  knownSurfaces,
  loadSurfaces,
  requestedSurfaces,
} from "../../workspace/chosen-surfaces.ts";
import { limitsOf } from "../../workspace/config.ts";
import { explainProblems, requireValid } from "../../workspace/config-file.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { packageVersion } from "../../workspace/package.ts";
import { checkStoreFlag } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";

export async function mcp(args: string[]): Promise<number> {
  const { values } = readArguments("mcp", args);
  leavePluginFolder();
  checkStoreFlag(values);
  if (values.session !== undefined) checkId(values.session, "session id");
  const find = () => findWorkspace({ flags: values, settings: values });
  const { project, config } = findWorkspace({ settings: values });
  // A flag is the caller's mistake; a file must not keep the agent from its memory.
  await requireValid({ problems: config.problems.filter(({ file }) => file === undefined) });
  for (const problem of await explainProblems(config)) console.error(`holdfast mcp: ${problem}`);
  // A type that cannot be served is refused if the caller names it, and left out if only the config does.
  const isNamed = values.surfaces !== undefined;
  const workspace = { project, config };
  const chosen = await loadSurfaces(chosenSurfaces(workspace, isNamed ? "agent" : "server"), workspace);
  if (values.cost)
    return printCost(isNamed ? chosen : await loadSurfaces(knownSurfaces, workspace), values.json);
  const surfaces = requestedSurfaces(chosen);
  const { session: named } = values;
  const fallback = `mcp-${crypto.randomUUID()}`;
  const calls = new AgentCalls({ project, cwd: process.cwd(), flags: values, fallback });
  return serve(
    {
      surfaces,
      limits: limitsOf(config),
      version: packageVersion(),
      openMemory: () => openMemoryIn(find(), { surfaces, isInteractive: true }),
      // The given session, or the one that the caller's host is in, or one that only this connection has.
      resolveSession: async (caller) => named ?? calls.sessionOf(caller),
      subAgentOf: (caller) => calls.subAgentOf(caller),
      unlisted: { [hookTool]: (input) => calls.answer(input) },
      earlierSession,
      // Whoever names a session wants that one.
      earlierHint: (earlier) => (named === undefined ? earlierHint(earlier) : ""),
      conversation: hostConversation(project.directory),
    },
    () => find().store.file,
  );
}

/**
 * Clients start the server of an Agent Plugins bundle in the bundle's folder. The project is where they were started: in
 * PWD, or, if a client does not pass that on or a shell has changed it, the working directory of the client.
 */
function leavePluginFolder(): void {
  const { PLUGIN_ROOT: folder, PWD: started } = process.env;
  const here = realpathSync(process.cwd());
  if (!folder || !existsSync(folder) || realpathSync(folder) !== here) return;
  const isElsewhere = (path: string | undefined): path is string =>
    path !== undefined && existsSync(path) && realpathSync(path) !== here;
  const project = isElsewhere(started) ? started : listAncestors().map(workingDirectoryOf).find(isElsewhere);
  if (project !== undefined) process.chdir(project);
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

interface SurfaceCost {
  surface: string;
  tools: number;
  /** Tokens of the surface's part of `tools/list`. */
  tokens: number;
}

/** The estimated token cost of each surface's tool definitions. */
function measureCost(surfaces: readonly Surface[]): SurfaceCost[] {
  return surfaces.map((surface) => {
    const toolbox = createToolbox([surface], { limits: defaultLimits, countTokens: () => 0 }, inHost);
    const tools = toolbox.describe().map(projectTool);
    return { surface: surface.name, tools: tools.length, tokens: estimateTokens(JSON.stringify(tools)) };
  });
}

async function printCost(surfaces: readonly Surface[], json: boolean): Promise<number> {
  // Agents wait for the server, which prints nothing.
  const { print } = await import("../terminal/screen.ts");
  const { count, counted } = await import("../terminal/quantities.ts");
  const costs = measureCost(surfaces);
  print({ json }, costs, () => [
    "Tokens of tool definitions, as tools/list sends them (estimated):",
    ...costs.map(
      ({ surface, tools, tokens }) =>
        `  ${surface.padEnd(12)}${count(tokens).padStart(6)}  ${counted(tools, "tool")}`,
    ),
  ]);
  return 0;
}
