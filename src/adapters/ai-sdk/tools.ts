import { jsonSchema, type ToolSet, tool } from "ai";
import { callKey } from "../../context/conversation.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import type { Tool } from "../../surfaces/surface.ts";
import { dotless, type Toolbox } from "../../surfaces/toolbox.ts";

/** Memory's tools for the AI SDK, ready to run. The model reads a tool's text; programs get its structured output. */
export function executableTools(session: Session, toolbox: Toolbox): ToolSet {
  return Object.fromEntries(
    toolbox.tools.map((each) => [dotless(each.name), executable(session, toolbox, each)]),
  );
}

/** Adds the tools that the agent has authored since to the ones that the SDK was given, and removes deleted ones. */
export function followAuthoredTools(
  session: Session,
  toolbox: Toolbox,
  offered: ToolSet,
): () => Promise<void> {
  const added = new Set<string>();
  return async () => {
    await toolbox.refresh(session);
    const authored = toolbox.extraTools((await session.state()).row);
    const names = new Set(authored.map(({ name }) => dotless(name)));
    for (const name of added) {
      if (names.has(name)) continue;
      delete offered[name];
      added.delete(name);
    }
    for (const tool of authored) {
      const name = dotless(tool.name);
      if (!Object.hasOwn(offered, name)) added.add(name);
      if (added.has(name)) offered[name] = executable(session, toolbox, tool);
    }
  };
}

function executable(
  session: Session,
  toolbox: Toolbox,
  { name, description, input, text }: Tool,
): ToolSet[string] {
  return tool({
    description,
    // `dispatch` validates the input, with errors that say what to do next.
    inputSchema: jsonSchema<Record<string, unknown>>(schemaOf(input, "input")),
    execute: async (given, { toolCallId }): Promise<Record<string, unknown>> => {
      const { row } = await session.state();
      const key = callKey(row.counters.lastMessage, toolCallId).slice(0, 255);
      const answer = await toolbox.dispatch(session, name, given, { key });
      if (answer.ok) return answer.output;
      throw new HoldfastError(answer.code as ErrorCode, answer.text, { data: answer.data });
    },
    toModelOutput: ({ output }) => ({ type: "text", value: text ? text(output) : JSON.stringify(output) }),
  });
}
