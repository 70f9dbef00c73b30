import { Queue } from "../../engine/queue.ts";
import { checkId } from "../../sessions/options.ts";
import type { Project } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import type { Host } from "../host.ts";
import { findHost, hosts } from "../hosts.ts";
import { followSession, memoryOf } from "../session-link.ts";
import type { HookEvent } from "./event.ts";
import { HookCall } from "./hook-call.ts";

/** The origin of a request to the MCP server. */
interface Caller {
  client: string;
  meta: Readonly<Record<string, unknown>>;
}

/** A sub-agent's own session, and that of the agent that it works for. */
interface SubAgent {
  session: string;
  parent: string;
}

interface AgentCallsOptions {
  project: Project;
  cwd: string;
  /** The options of the command that name a store. */
  flags: StoreFlags;
  /** The session of a client that leaves no trace of its own. */
  fallback: string;
}

/** The key in a request's `_meta` with which any client names the session it means. */
const sessionHandle = "holdfast/session";

/** A client shows the agent an answer without text as a message of the hook. */
const nothing = "{}";

/**
 * The calls of a coding agent to our MCP server: which session each of them belongs to, and the answers to the hooks that
 * its client sends here, so that no process has to start for them.
 */
export class AgentCalls {
  readonly #options: AgentCallsOptions;
  readonly #queue = new Queue();
  readonly #followers = new Map<string, ReturnType<typeof followSession>>();
  /** The sub-agents whose calls of our tools were announced, by the id of the call. */
  readonly #announced = new Map<string, SubAgent>();
  /** The last conversation that a hook came from. */
  #reported: { host: string; hostSession: string } | undefined;

  constructor(options: AgentCallsOptions) {
    this.#options = options;
  }

  /**
   * The session of a call: the session or the conversation that the request names, else the one that the client's hooks
   * reported to this server or left a link to, else the host's own session in this project. A server never follows a
   * session of another host. For a client that is not a known host, it follows only hooks of the process that started it.
   *
   * @example
   * await calls.sessionOf({ client: "codex-mcp-client", meta: { threadId: "t-1" } }); // "codex.t-1"
   */
  async sessionOf({ client, meta }: Caller): Promise<string> {
    const { directory } = this.#options.project;
    const handle = meta[sessionHandle];
    if (typeof handle === "string") return checkId(handle, "session id");
    const host = hostOfClient(client);
    const conversation = host?.mcpClient?.conversation?.(meta);
    if (host && conversation) return memoryOf(directory, host.name, conversation);
    const last = this.#reported;
    if (last && (!host || host.name === last.host)) return memoryOf(directory, last.host, last.hostSession);
    return this.#follow(host).current();
  }

  #follow(host: Host | undefined): ReturnType<typeof followSession> {
    const name = host?.name ?? "";
    const known = this.#followers.get(name);
    if (known) return known;
    const { project, cwd, fallback } = this.#options;
    const place = { directory: project.directory, cwd };
    const follower = followSession(
      host ? { ...place, host: name, fallback: `${name}.${fallback}` } : { ...place, fallback },
    );
    this.#followers.set(name, follower);
    return follower;
  }

  /** The session of the sub-agent that makes this call, if one does. */
  subAgentOf({ client, meta }: Caller): SubAgent | undefined {
    const host = hostOfClient(client);
    const named = host?.mcpClient?.subAgent?.(meta);
    if (host && named) return this.#subAgent(host, named.conversation, named.id);
    const call = host?.mcpClient?.call?.(meta);
    return call === undefined ? undefined : this.#announced.get(call);
  }

  #subAgent({ name }: Host, conversation: string, id: string): SubAgent {
    const parent = memoryOf(this.#options.project.directory, name, conversation);
    return { session: `${parent}.${id}`, parent };
  }

  /** A call follows its announcement at once; a few may run at the same time. */
  #announce({ host, hostSession, subAgent }: HookEvent, call: unknown): void {
    if (typeof call !== "string" || !/^[\w-]{1,64}$/.test(subAgent)) return;
    this.#announced.set(call, this.#subAgent(host, hostSession, subAgent));
    const [oldest] = this.#announced.keys();
    if (this.#announced.size > 100 && oldest !== undefined) this.#announced.delete(oldest);
  }

  /** Answers a hook, in the host's format. Like a process, it answers before it writes, and never fails. */
  answer(input: Record<string, unknown>): Promise<string> {
    const name = String(input.host);
    const host = findHost(name);
    if (!host) return Promise.resolve(nothing);
    const { project, cwd, flags } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = new HookCall({
      name,
      host,
      project,
      since: Date.now(),
      print: (text) => resolve(text || nothing),
    });
    const onEvent = (event: HookEvent) => {
      this.#reported = { host: host.name, hostSession: event.hostSession };
      if (event.kind === "memory-call") this.#announce(event, input.tool_use_id);
    };
    const read = async () => ({ payload: { ...input, cwd }, flags });
    void this.#queue.run(() => call.answer(read, onEvent));
    return promise;
  }
}

function hostOfClient(client: string): Host | undefined {
  return hosts.find(({ mcpClient }) => mcpClient?.name.test(client));
}
