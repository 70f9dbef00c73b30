import { Queue } from "../../engine/queue.ts";
import type { Project } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { findHost } from "../hosts.ts";
import { memoryOf } from "../session-link.ts";
import type { HookEvent } from "./event.ts";
import { HookCall } from "./hook-call.ts";

/** The host's conversation that an event came from. */
export interface ReportedConversation {
  host: string;
  hostSession: string;
}

/** A sub-agent's own session, and that of the agent that it works for. */
export interface SubAgent {
  session: string;
  parent: string;
}

/** A client shows the agent an answer without text as a message of the hook. */
const nothing = "{}";

/** Handles the events that a host's MCP client passes to our server, so that no process has to start for them. */
export class ServerHooks {
  readonly #project: Project;
  readonly #flags: StoreFlags;
  readonly #queue = new Queue();
  /** The sub-agents whose calls of our tools were announced, by the id of the call. */
  readonly #calls = new Map<string, SubAgent>();
  /** The last conversation that an event came from. */
  reported: ReportedConversation | undefined;

  constructor(project: Project, flags: StoreFlags) {
    this.#project = project;
    this.#flags = flags;
  }

  /** The session of the sub-agent that makes this call, if one does. */
  subAgentOf(meta: Readonly<Record<string, unknown>>): SubAgent | undefined {
    return this.#calls.get(String(meta["claudecode/toolUseId"]));
  }

  /** A call follows its announcement at once; a few may run at the same time. */
  #announce({ host, hostSession, subAgent }: HookEvent, call: unknown): void {
    if (typeof call !== "string" || !/^[\w-]{1,64}$/.test(subAgent)) return;
    const parent = memoryOf(this.#project.directory, host.name, hostSession);
    this.#calls.set(call, { session: `${parent}.${subAgent}`, parent });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > 100 && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** The answer in the host's format. Like a hook's, it comes before what is written, and never fails. */
  answer(input: Record<string, unknown>): Promise<string> {
    const name = String(input.host);
    const host = findHost(name);
    if (!host) return Promise.resolve(nothing);
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = new HookCall({
      name,
      host,
      project: this.#project,
      since: Date.now(),
      print: (text) => resolve(text || nothing),
    });
    const payload = { ...input, cwd: process.cwd() };
    const onEvent = (event: HookEvent) => {
      this.reported = { host: host.name, hostSession: event.hostSession };
      if (event.kind === "memory-call") this.#announce(event, input.tool_use_id);
    };
    void this.#queue.run(() => call.answer(async () => ({ payload, flags: this.#flags }), onEvent));
    return promise;
  }
}
