import { jsonSchema, type ToolSet, tool } from "ai";
import { callKey } from "../../context/conversation.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import { refuseCall } from "../../surfaces/pins/refuse-call.ts";
import type { Tool } from "../../surfaces/surface.ts";
import { dotless, type Toolbox } from "../../surfaces/toolbox.ts";

/** Memory's tools for the AI SDK, ready to run. The model reads a tool's text; programs get its structured output. */
export function executableTools(session: Session, toolbox: Toolbox): ToolSet {
  return Object.fromEntries(
    toolbox.tools.map((each) => [dotless(each.name), executable(session, toolbox, each)]),
  );
}

/** The caller's own tools; a call that a pin forbids fails with the user's words before it runs. */
export function guardedTools(session: Session, tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, own]) => {
      const { execute } = own;
      if (!execute) return [name, own];
      const check = async (input: unknown) => {
        const refusal = await refusalOf(session, name, input);
        if (refusal !== undefined) throw new HoldfastError("locked", refusal);
      };
      const once: typeof execute = async (input, options) => {
        await check(input);
        const output: unknown = execute(input, options);
        return isIterable(output) ? lastOf(output) : output;
      };
      // The SDK passes on what a generator yields as progress.
      const streamed: typeof execute = async function* (input, options) {
        await check(input);
        const output: unknown = execute(input, options);
        if (isIterable(output)) yield* output;
      };
      const isGenerator = execute.constructor.name === "AsyncGeneratorFunction";
      return [name, { ...own, execute: isGenerator ? streamed : once } as ToolSet[string]];
    }),
  );
}

/** A failure of memory never blocks a call. */
async function refusalOf(session: Session, tool: string, input: unknown): Promise<string | undefined> {
  try {
    return refuseCall(await session.pins.list(), { session: session.id, tool, input, isMemoryTool: false });
  } catch {
    return undefined;
  }
}

async function lastOf(output: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const part of output) last = part;
  return last;
}

function isIterable(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
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
