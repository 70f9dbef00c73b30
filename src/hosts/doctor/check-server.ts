import { objectIn, objectsIn } from "../../engine/json.ts";
import { storeVariables } from "../../workspace/store-location.ts";
import type { ConfiguredServer } from "../install/piece.ts";
import { askServer } from "../run-program.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const check = "MCP server";
const limit = 15_000;

/** Starts the server as the host would, and lists its tools. */
export async function checkServer(server: ConfiguredServer, cwd: string, remedy: string): Promise<Finding[]> {
  if (server.isOff)
    return [problem(check, "It is switched off in the host's config.", `Set its "enabled" to true.`)];
  const words = [server.command, ...server.args].join(" ");
  // In the files of a project, a shell looks for the program first.
  const [, line = words] = / exec (.+?) "\$@"/.exec(words) ?? [];
  const started = performance.now();
  try {
    const tools = await countTools(server, cwd);
    const milliseconds = Math.round(performance.now() - started);
    if (tools === 0) return [problem(check, `It offers no tools, because there is no ${line}.`, remedy)];
    return [ok(check, `starts and offers ${tools} tools (${milliseconds} ms)`), ...checkStore(server)];
  } catch (error) {
    return [problem(check, `${line} does not start: ${(error as Error).message}`, remedy)];
  }
}

/** Hooks and plugins do not see a store that only the server's config names. */
function checkStore({ args, env }: ConfiguredServer): Finding[] {
  const at = args.findIndex((word) => /^--(?:store|db)(?:=|$)/.test(word));
  const names = storeVariables.filter((name) => env[name] !== undefined);
  const isOwn = at >= 0 || names.some((name) => env[name] !== process.env[name]);
  if (!isOwn) return [];
  const where =
    at >= 0 ? args.slice(at, at + 2).join(" ") : names.map((name) => `${name}=${env[name]}`).join(" ");
  return [
    note(
      check,
      `Its config names another store (${where}), which hooks and plugins do not see.`,
      "Remove that setting, or set HOLDFAST_DB in the environment in which you start the host.",
    ),
  ];
}

async function countTools({ command, args, env }: ConfiguredServer, cwd: string): Promise<number> {
  const clientInfo = { name: "holdfast doctor", version: "1" };
  const request = {
    initialize: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    confirmation: "notifications/initialized",
    method: "tools/list",
  };
  return objectsIn(objectIn(await askServer(command, args, request, { cwd, env, limit })).tools).length;
}
