import { checkOptions, listOf, text } from "../engine/options.ts";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import { callKeyOf } from "../surfaces/call-key.ts";
import { ownLoop } from "../surfaces/surface.ts";
import type { SurfaceName } from "../surfaces/surfaces.ts";
import { dotless, type ToolAnswer } from "../surfaces/toolbox.ts";

export interface SurfaceChoice {
  /** A subset of the memory's surfaces (default: all of them). */
  surfaces?: readonly SurfaceName[];
}

/** A tool definition in a form that suits every provider: a name without dots, a description, a JSON Schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/** The tools of the surfaces that the memory was opened with. */
export async function definitionsOf(
  source: Session | Memory,
  options: SurfaceChoice = {},
): Promise<ToolDefinition[]> {
  checkOptions("The tools", options, { surfaces: listOf(text) });
  const { surfaces } = options;
  const described = await source.tools({ ...ownLoop, dotless: true });
  const offered = [...new Set(described.map(({ surface }) => surface))];
  const missing = surfaces?.filter((name) => !offered.includes(name)) ?? [];
  if (missing.length > 0) {
    throw new HoldfastError(
      "unknown_surface",
      `The memory was opened without ${missing.join(", ")}. Add it in openMemory({ surfaces }); the memory has: ${offered.join(", ")}.`,
      { data: { missing, offered } },
    );
  }
  return described
    .filter(({ surface }) => surfaces === undefined || surfaces.some((name) => name === surface))
    .map(({ name, description, inputSchema }) => ({
      name: dotless(name),
      description,
      schema: inputSchema,
    }));
}

/** Answers a call of one of the session's tools, once per call id; undefined for any other tool. */
export async function answerCall(
  session: Session,
  name: string,
  input: unknown,
  id: string,
): Promise<ToolAnswer | undefined> {
  const key = await callKeyOf(id, name, input);
  const answer = await session.call(name, input, key === undefined ? {} : { key });
  return answer.ok || answer.code !== "unknown_tool" ? answer : undefined;
}
