import { checkId } from "../sessions/options.ts";
import type { Host } from "./host.ts";
import { hosts } from "./hosts.ts";
import { followSession, type LinkPlace, memoryOf } from "./session-link.ts";

/** What a request to the MCP server says about where it comes from. */
interface Caller {
  client: string;
  meta: Readonly<Record<string, unknown>>;
}

/** The key in a request's `_meta` with which any client names the session it means. */
const sessionHandle = "holdfast/session";

/**
 * Finds the session of each request: the session or the conversation that the request names, else the one that the hooks of the
 * client's host reported to this server or left a link to, else the host's own session in this project. A server never follows a session of another host;
 * for a client that is not a known host, it follows the host that started it.
 *
 * @example
 * const resolve = callerResolver({ ...findProject(process.cwd()), cwd: process.cwd(), fallback: "project-1" });
 * const id = await resolve({ client: "codex-mcp-client", meta: { threadId: "t-1" } }); // "codex.t-1"
 */
export function callerResolver({
  reported,
  ...place
}: LinkPlace & {
  fallback: string;
  /** The conversation that the client's hooks reported to this server, if they did. */
  reported?: () => { host: string; hostSession: string } | undefined;
}): (caller: Caller) => Promise<string> {
  const followers = new Map<string, ReturnType<typeof followSession>>();
  const follow = (host: Host | undefined) => {
    const name = host?.name ?? "";
    const known = followers.get(name);
    if (known) return known;
    const follower = followSession(
      host ? { ...place, host: name, fallback: `${name}.${place.fallback}` } : place,
    );
    followers.set(name, follower);
    return follower;
  };
  return async ({ client, meta }) => {
    const handle = meta[sessionHandle];
    if (typeof handle === "string") return checkId(handle, "session id");
    const host = hosts.find(({ mcpClient }) => mcpClient?.name.test(client));
    const conversation = host?.mcpClient?.conversation?.(meta);
    if (host && conversation) return memoryOf(place.directory, host.name, conversation);
    const last = reported?.();
    if (last && (!host || host.name === last.host))
      return memoryOf(place.directory, last.host, last.hostSession);
    return follow(host).current();
  };
}
