import { objectIn } from "../../engine/json.ts";
import { failureReporter } from "../report-failure.ts";
import type { OpencodeHooks, OpencodeInput } from "./api.ts";
import { OpencodePlugin } from "./plugin.ts";

/**
 * The plug-in of a host of this family: puts memory into every model call, tells the summariser what to keep, and links
 * the MCP server to the session.
 */
export function createPlugin(host: string): (input: OpencodeInput) => Promise<OpencodeHooks> {
  return async (input) => hooksOf(new OpencodePlugin(host, input), failureReporter(host), input);
}

function hooksOf(
  plugin: OpencodePlugin,
  report: ReturnType<typeof failureReporter>,
  input: OpencodeInput,
): OpencodeHooks {
  const reporting =
    <Input, Output>(name: string, handle: (input: Input, output: Output) => Promise<void>) =>
    async (hookInput: Input, output: Output): Promise<void> => {
      try {
        await handle(hookInput, output);
      } catch (error) {
        report(name, error, input.directory);
      }
    };
  const end = reporting("end", (id: string) => plugin.endSession(id));
  const endAll = async () => {
    await Promise.all(plugin.openSessions.map((id) => end(id, undefined)));
  };
  return {
    config: reporting("config", async (config) => plugin.configure(config)),
    event: reporting("event", async ({ event }) => {
      if (event.type === "server.instance.disposed") return endAll();
      const id = event.properties?.sessionID ?? objectIn(event.properties?.info).id;
      if (typeof id !== "string") return;
      if (event.type === "session.deleted") await end(id, undefined);
      else if (["session.compacted", "session.error", "session.idle"].includes(event.type))
        plugin.endCompaction(id, event.type === "session.compacted");
    }),
    "chat.message": reporting("chat.message", ({ sessionID }, { message }) =>
      plugin.onMessage(sessionID, message.id),
    ),
    "chat.params": reporting("chat.params", async ({ sessionID, model }) =>
      plugin.noteWindow(sessionID, model?.limit ?? {}),
    ),
    "tool.execute.before": reporting("tool.execute.before", async ({ tool, sessionID }) => {
      // Our own tools, under the names that the hosts give to the tools of the server "holdfast".
      if (/(?:^|_)holdfast_/i.test(tool)) plugin.link(sessionID);
    }),
    "experimental.chat.messages.transform": reporting("chat.messages.transform", (_input, { messages }) =>
      plugin.placeMemory(messages),
    ),
    "experimental.chat.system.transform": reporting(
      "chat.system.transform",
      async ({ sessionID }, { system }) => {
        const text = sessionID === undefined ? "" : await plugin.systemText(sessionID);
        if (text !== "") system.push(text);
      },
    ),
    "experimental.session.compacting": reporting("session.compacting", async ({ sessionID }, { context }) => {
      const keep = await plugin.beforeCompaction(sessionID);
      if (keep !== "") context.push(keep);
    }),
    dispose: endAll,
  };
}
