import { listAncestors } from "../processes.ts";
import { findProject, makeProjectDirectory } from "../project-directory.ts";
import { failureReporter } from "../report-failure.ts";
import { linkSession } from "../session-link.ts";
import { askHook, type HookAnswer, hookCommand, ownCommand } from "./ask-hook.ts";
import type { OpencodeHooks, OpencodeInput } from "./opencode-host.ts";
import { placeText } from "./place-text.ts";
import { writeTranscript } from "./transcript.ts";

/** What the conversation of one session is shown. */
interface Shown {
  /** Undefined until it is asked for, and again after a compaction. */
  head: string | undefined;
  /** What was new when a message came, by the message's id. */
  news: Map<string, string>;
  source: "startup" | "compact";
  /** The next messages are for the summariser. */
  isCompacting: boolean;
  transcript: string;
}

/**
 * The opencode plug-in: memory in front of every model call, what to keep for the summariser, and the link by which
 * the MCP server knows the session.
 *
 * @example
 * // .opencode/plugin/holdfast.js
 * export { default } from "holdfast/opencode";
 */
export default async function holdfast({ directory, client }: OpencodeInput): Promise<OpencodeHooks> {
  const report = failureReporter("opencode");
  const project = findProject(directory);
  const sessions = new Map<string, Shown>();
  let command = ownCommand();
  let linked = "";

  const shownTo = (id: string): Shown => {
    const known = sessions.get(id);
    if (known) return known;
    const shown: Shown = {
      head: undefined,
      news: new Map(),
      source: "startup",
      isCompacting: false,
      transcript: "",
    };
    sessions.set(id, shown);
    return shown;
  };

  const ask = async (id: string, event: string, more: Record<string, unknown> = {}): Promise<HookAnswer> => {
    const payload = { hook_event_name: event, session_id: id, cwd: directory, ...more };
    const answer = await askHook(command, payload, directory);
    linked = id;
    return answer;
  };

  const refresh = async (id: string): Promise<void> => {
    const shown = shownTo(id);
    const { source, transcript } = shown;
    // Set first: a hook that fails is not asked again before every single call.
    shown.head = "";
    shown.head = (await ask(id, "session-start", { source, transcript_path: transcript })).context;
  };

  /** The MCP server works for one session at a time: the one that calls. */
  const link = (id: string): void => {
    if (linked === id) return;
    makeProjectDirectory(project.directory);
    const [own] = listAncestors(process.pid);
    const host = own && { pid: own.pid, start: own.start };
    linkSession({ ...place, host: "opencode", hostSession: id, process: host });
    linked = id;
  };
  const place = { directory: project.directory, cwd: directory };

  const caught =
    <Input, Output>(name: string, handle: (input: Input, output: Output) => Promise<void>) =>
    async (input: Input, output: Output): Promise<void> => {
      try {
        await handle(input, output);
      } catch (error) {
        report(name, error, directory);
      }
    };

  return {
    config: caught("config", async (config) => {
      command = hookCommand(config);
    }),
    event: caught("event", async ({ event }) => {
      const id = event.properties?.sessionID;
      const shown = typeof id === "string" ? sessions.get(id) : undefined;
      if (!shown || typeof id !== "string") return;
      if (event.type === "session.compacted")
        Object.assign(shown, { head: undefined, news: new Map(), source: "compact" });
      if (["session.compacted", "session.error", "session.idle"].includes(event.type))
        shown.isCompacting = false;
    }),
    "chat.message": caught("chat.message", async ({ sessionID }, { message }) => {
      const shown = shownTo(sessionID);
      link(sessionID);
      if (shown.head === undefined) await refresh(sessionID);
      else shown.news.set(message.id, (await ask(sessionID, "prompt")).context);
    }),
    "tool.execute.before": caught("tool.execute.before", async ({ tool, sessionID }) => {
      if (tool.startsWith("holdfast_")) link(sessionID);
    }),
    "experimental.chat.messages.transform": caught(
      "chat.messages.transform",
      async (_input, { messages }) => {
        const id = messages.at(-1)?.info.sessionID;
        if (id === undefined) return;
        const shown = shownTo(id);
        if (shown.isCompacting) {
          shown.isCompacting = false;
          return;
        }
        // The turn that follows a compaction by itself begins without a message.
        if (shown.head === undefined) await refresh(id);
        placeText(messages, shown.head ?? "", shown.news);
      },
    ),
    "experimental.session.compacting": caught("session.compacting", async ({ sessionID }, { context }) => {
      const shown = shownTo(sessionID);
      shown.isCompacting = true;
      const found = await client?.session?.messages?.({ path: { id: sessionID } });
      shown.transcript = writeTranscript(project.directory, sessionID, found?.data);
      const { keep } = await ask(sessionID, "before-compaction", { transcript_path: shown.transcript });
      if (keep !== "") context.push(keep);
    }),
  };
}
