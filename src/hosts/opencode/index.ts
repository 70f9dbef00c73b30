import { failureReporter } from "../report-failure.ts";
import type { OpencodeHooks, OpencodeInput } from "./api.ts";
import { OpencodePlugin } from "./plugin.ts";

/**
 * The opencode plug-in: memory in front of every model call, what to keep for the summariser, and the link by which
 * the MCP server knows the session.
 *
 * @example
 * // .opencode/plugin/holdfast.js
 * export { default } from "holdfast/opencode";
 */
export default async function holdfast(input: OpencodeInput): Promise<OpencodeHooks> {
  const plugin = new OpencodePlugin(input);
  const report = failureReporter("opencode");
  const caught =
    <Input, Output>(name: string, handle: (input: Input, output: Output) => Promise<void>) =>
    async (given: Input, output: Output): Promise<void> => {
      try {
        await handle(given, output);
      } catch (error) {
        report(name, error, input.directory);
      }
    };
  return {
    config: caught("config", async (config) => plugin.configure(config)),
    event: caught("event", async ({ event }) => {
      const id = event.properties?.sessionID;
      if (
        typeof id === "string" &&
        ["session.compacted", "session.error", "session.idle"].includes(event.type)
      )
        plugin.endCompaction(id, event.type === "session.compacted");
    }),
    "chat.message": caught("chat.message", ({ sessionID }, { message }) =>
      plugin.hear(sessionID, message.id),
    ),
    "tool.execute.before": caught("tool.execute.before", async ({ tool, sessionID }) => {
      if (tool.startsWith("holdfast_")) plugin.link(sessionID);
    }),
    "experimental.chat.messages.transform": caught("chat.messages.transform", (_given, { messages }) =>
      plugin.place(messages),
    ),
    "experimental.session.compacting": caught("session.compacting", async ({ sessionID }, { context }) => {
      const keep = await plugin.beforeCompaction(sessionID);
      if (keep !== "") context.push(keep);
    }),
  };
}
