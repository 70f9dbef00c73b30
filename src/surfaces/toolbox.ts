import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Block, Context, Toolbox, ToolDescription } from "../sessions/options.ts";
import type { Session } from "../sessions/session.ts";
import type { AgentOf } from "./agent-key.ts";
import { dispatch, schemaOf } from "./dispatch.ts";
import type { Call, Moment, Surface, Tool } from "./surface.ts";

/** The chosen surfaces as one: their tools by name, their guidance, their blocks. */
export function createToolbox(
  surfaces: readonly Surface[],
  setting: Omit<Call, "session" | "options" | "signal">,
): AgentToolbox {
  const tools = toolsByName(surfaces);
  const guidance = surfaces
    .map((surface) => surface.guidance(setting.limits))
    .filter((text) => text !== "")
    .join("\n\n");
  const changeable = surfaces.filter(({ refresh }) => refresh !== undefined);
  // Blocks are made of the resident records, the notepad and what lies outside; as long as those are the same, so are they.
  const rendered = new WeakMap<
    State["resident"],
    { notepad: string | null; outside: string; context: Context }
  >();
  // One that an agent made before a surface brought its own of that name gives way.
  const extraOf = (surface: Surface, agent: AgentOf) =>
    (surface.extraTools?.(agent) ?? []).filter(({ name }) => !tools.has(name));
  const extraTools = (agent: AgentOf) => changeable.flatMap((surface) => extraOf(surface, agent));
  const listed = (agent?: AgentOf): [surface: string, tool: Tool][] =>
    surfaces.flatMap((surface) =>
      [...surface.tools, ...(agent === undefined ? [] : extraOf(surface, agent))].map(
        (tool): [string, Tool] => [surface.name, tool],
      ),
    );
  return {
    tools: surfaces.flatMap((surface) => surface.tools),
    extraTools,
    changeable: new Set(changeable.map(({ name }) => name)),
    async tell(session, moment) {
      const warnings: string[] = [];
      for (const surface of surfaces) warnings.push(...((await surface.hear?.(session, moment)) ?? []));
      return warnings;
    },
    async refresh(session) {
      for (const surface of changeable) await surface.refresh?.(session);
    },
    context(state) {
      const outside = changeable.map((surface) => surface.block?.(state)?.text ?? "").join("\u0000");
      const known = rendered.get(state.resident);
      if (known && known.notepad === state.row.notepad && known.outside === outside) return known.context;
      const context = compose(guidance, surfaces, state);
      rendered.set(state.resident, { notepad: state.row.notepad, outside, context });
      return context;
    },
    describe: (agent) => listed(agent).map(([surface, tool]) => describe(surface, tool)),
    async dispatch(session, name, input, options, signal) {
      const call = {
        session,
        options,
        signal,
        ...setting,
        taken: [...tools.keys(), ...(setting.taken ?? [])],
      };
      if (changeable.length === 0 || tools.has(name)) return dispatch(tools, name, input, call);
      const { row: agent } = await session.state();
      if (!extraTools(agent).some((tool) => tool.name === name))
        for (const surface of changeable) await surface.refresh?.(session);
      const extra = extraTools(agent).map((tool): [string, Tool] => [tool.name, tool]);
      return dispatch(new Map([...tools, ...extra]), name, input, call);
    },
  };
}

/** A toolbox whose tools can be handed to an agent. */
export type AgentToolbox = Toolbox & {
  tools: readonly Tool[];
  /** Those that the agent made itself. */
  extraTools(agent: AgentOf): readonly Tool[];
  /** Tells every surface of a moment of the conversation; gives their warnings. */
  tell(session: Session, moment: Moment): Promise<string[]>;
  /** The surfaces that show something from outside the session. */
  changeable: ReadonlySet<string>;
};

function describe(surface: string, tool: Tool): ToolDescription {
  return {
    name: tool.name,
    surface,
    description: tool.description,
    inputSchema: schemaOf(tool.input, "input"),
    outputSchema: schemaOf(tool.output, "output"),
    readOnly: tool.readOnly ?? false,
    destructive: tool.destructive ?? false,
    idempotent: tool.idempotent ?? false,
  };
}

function compose(guidance: string, surfaces: readonly Surface[], state: State): Context {
  const blocks = surfaces.flatMap((surface): Block[] => {
    const block = surface.block?.(state);
    return block ? [{ surface: surface.name, ...block }] : [];
  });
  // Instructions and skills, tool summaries, the rest; the notepad's section runs to the end of the prompt, so it is last.
  blocks.sort((a, b) => rankOf(a) - rankOf(b));
  const placed = (placement: Block["placement"]) => blocks.filter((block) => block.placement === placement);
  const system = placed("system");
  return {
    surfaces: surfaces.map(({ name }) => name),
    guidance,
    blocks,
    system: [guidance, ...system.map(({ text }) => text)].filter((text) => text !== "").join("\n\n"),
    message: placed("message")
      .map(({ text }) => text)
      .join("\n\n"),
  };
}

function rankOf({ surface }: Block): number {
  return { knowledge: 0, sandbox: 1, notepad: 3 }[surface] ?? 2;
}

/** Where a provider refuses dots, `session.scratchpad` is called `session_scratchpad`; both names work. */
function toolsByName(surfaces: readonly Surface[]): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  const owners = new Map<string, string>();
  for (const surface of surfaces) {
    for (const tool of surface.tools) {
      for (const name of new Set([tool.name, dotless(tool.name)])) {
        const owner = owners.get(name);
        if (owner !== undefined) {
          throw new HoldfastError(
            "duplicate_tool",
            `The surfaces "${owner}" and "${surface.name}" both offer a tool called "${name}". Choose one of the two.`,
            { data: { tool: name, surfaces: [owner, surface.name] } },
          );
        }
        owners.set(name, surface.name);
        tools.set(name, tool);
      }
    }
  }
  return tools;
}

export function dotless(name: string): string {
  return name.replaceAll(".", "_");
}
