import type { Block, Context } from "../context/blocks.ts";
import type { Limits } from "../engine/limits.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { makeGuard, type SecretGuard } from "../secrets/guard.ts";
import { dispatch, schemaOf } from "./dispatch.ts";
import { notifySurfaces } from "./notify.ts";
import type { SessionHandle } from "./session-handle.ts";
import type { AgentOf } from "./surface.ts";
import {
  type Call,
  type CallOptions,
  type LifecycleEvent,
  ownLoop,
  type Presentation,
  type Surface,
  type Tool,
} from "./surface.ts";

/** The result of a tool call. `text` is for the model, `output` for programs, `notice` is the part of `text` for people. */
export type ToolAnswer =
  | { ok: true; output: Record<string, unknown>; text: string; notice?: string }
  | { ok: false; code: string; text: string; data: Record<string, unknown> };

/** A tool as a model sees it. The schemas are JSON Schema. */
export interface ToolDescription {
  name: string;
  surface: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
  isProgram: boolean;
}

/** The chosen surfaces combined: their tools by name, their guidance, their blocks. */
export interface Toolbox {
  /** The surfaces' own tools, without those an agent authored. */
  tools: readonly Tool[];
  /** The same surfaces, with texts for another presentation. */
  presentAs(presentation: Presentation): Toolbox;
  /** The surfaces that show something from outside the session. */
  changeable: ReadonlySet<string>;
  /** The surfaces that work only where a Holdfast agent runs. */
  needsAgent: readonly string[];
  /** The tools, including those this agent authored. */
  describe(agent?: AgentOf): ToolDescription[];
  /** Tools the agent authored, as of the last refresh. */
  extraTools(agent: AgentOf): readonly Tool[];
  /** Call it before `context` and `describe`, so that what they show from outside the session is current. */
  refresh(session: SessionHandle): Promise<void>;
  context(state: State): Context;
  /** Notifies every surface of a lifecycle event of the conversation and returns their warnings. */
  notify(session: SessionHandle, event: LifecycleEvent): Promise<string[]>;
  dispatch(session: SessionHandle, tool: string, input: unknown, options?: CallOptions): Promise<ToolAnswer>;
}

export function createToolbox(
  surfaces: readonly Surface[],
  budget: Pick<Call, "limits" | "countTokens" | "guard">,
  presentation: Presentation = ownLoop,
): Toolbox {
  const { limits } = budget;
  const own = new Map(
    surfaces.map((surface) => [surface, surface.tools.map((tool) => adapted(tool, limits, presentation))]),
  );
  const tools = toolsByName(own);
  const changeable = surfaces.filter(({ refresh }) => refresh !== undefined);
  // If a surface later adds a tool of the same name, the surface's tool wins.
  const extraOf = (surface: Surface, agent: AgentOf) =>
    (surface.extraTools?.(agent) ?? []).filter(({ name }) => !tools.has(name));
  const extraTools = (agent: AgentOf) => changeable.flatMap((surface) => extraOf(surface, agent));
  const refresh = async (session: SessionHandle) => {
    for (const surface of changeable) await surface.refresh?.(session);
  };
  const toolbox: Toolbox = {
    tools: [...own.values()].flat(),
    presentAs(other) {
      const known = readings.get(keyOf(other));
      if (known) return known;
      const made = createToolbox(surfaces, budget, other);
      readings.set(keyOf(other), made);
      return made;
    },
    changeable: new Set(changeable.map(({ name }) => name)),
    needsAgent: surfaces.filter(({ needsAgent }) => needsAgent).map(({ name }) => name),
    extraTools,
    refresh,
    context: contextOf(
      surfaces,
      guidanceOf(surfaces, { limits, presentation }),
      changeable,
      budget.guard ?? makeGuard(),
    ),
    describe: (agent) =>
      surfaces.flatMap((surface) =>
        [...(own.get(surface) ?? []), ...(agent === undefined ? [] : extraOf(surface, agent))].map((tool) =>
          describe(surface.name, tool),
        ),
      ),
    async notify(session, event) {
      const { id, agent } = (await session.state()).row;
      return notifySurfaces(surfaces, { id, agent }, event);
    },
    async dispatch(
      session,
      name,
      input,
      { children, answered, signal, room, conversation, taken = [], ...options } = {},
    ) {
      const caller = { children, answered, signal, room, conversation, taken: [...tools.keys(), ...taken] };
      const call = { ...caller, ...budget, session, options };
      if (changeable.length === 0 || tools.has(name)) return dispatch(tools, name, input, call);
      const { row: agent } = await session.state();
      if (!extraTools(agent).some((tool) => tool.name === name)) await refresh(session);
      const extra = extraTools(agent).map((tool): [string, Tool] => [tool.name, tool]);
      return dispatch(new Map([...tools, ...extra]), name, input, call);
    },
  };
  const readings = new Map([[keyOf(presentation), toolbox]]);
  return toolbox;
}

function keyOf({ shown, keepsConversation, dotless: isDotless }: Presentation): string {
  return `${shown} ${keepsConversation} ${isDotless}`;
}

/** The tool with the texts that are true for a presentation. */
function adapted(tool: Tool, limits: Limits, presentation: Presentation): Tool {
  const { description = tool.description, input = tool.input } = tool.adapt?.(limits, presentation) ?? {};
  return { ...tool, description, input };
}

/** The guidance of all surfaces, with the tools' names as the model knows them. */
export function guidanceOf(
  surfaces: readonly Surface[],
  { limits, presentation }: { limits: Limits; presentation: Presentation },
): string {
  const chosen = surfaces.map(({ name }) => name);
  const each = surfaces.map((surface) => {
    const text = surface.guidance(limits, presentation, chosen);
    // Only its own tools: for another surface the same name may be that of an object in a program.
    const own = presentation.dotless ? surface.tools : [];
    return own.reduce((all, { name }) => all.replaceAll(name, dotless(name)), text);
  });
  return [choiceOf(chosen), ...each].filter((part) => part !== "").join("\n\n");
}

/** The places for text, each with its use. */
const uses: Record<string, string> = {
  notepad: "the notepad for the plan and findings of this task",
  notes: "notes for many small facts to find by tag",
  scratchpad: "the scratchpad for the current plan and references",
  project: "NOTES.md for decisions and debt of the repository",
};

/** Which place is for which text, where the agent has several. */
function choiceOf(chosen: readonly string[]): string {
  // One place for the plan.
  const here = chosen.includes("scratchpad")
    ? { ...uses, notepad: "the notepad for the findings of this task" }
    : uses;
  const offered = chosen.flatMap((name) => (Object.hasOwn(here, name) ? (here[name] ?? []) : []));
  if (offered.length < 2) return "";
  return `Use ${offered.slice(0, -1).join(", ")} and ${offered.at(-1)}.`;
}

/** Caches the context: blocks depend only on the resident records, the notepad and what surfaces read from outside. */
function contextOf(
  surfaces: readonly Surface[],
  guidance: string,
  changeable: readonly Surface[],
  guard: SecretGuard,
): Toolbox["context"] {
  const rendered = new WeakMap<
    State["resident"],
    { notepad: string | null; pins: State["projectPins"]; outside: string; context: Context }
  >();
  let last: { composed: Context; context: Context } | undefined;
  return (state) => {
    const outside = changeable.map((surface) => surface.block?.(state)?.text ?? "").join("\u0000");
    const known = rendered.get(state.resident);
    const isKnown = known?.notepad === state.row.notepad && known.pins === state.projectPins;
    if (known && isKnown && known.outside === outside) return known.context;
    const composed = compose(guidance, surfaces, state);
    // Most writes change no block: what was rendered for the revision before is still right.
    const context = last && isSameContext(last.composed, composed) ? last.context : guard.hide(composed);
    last = { composed, context };
    rendered.set(state.resident, { notepad: state.row.notepad, pins: state.projectPins, outside, context });
    return context;
  };
}

/** Whether two contexts of the same toolbox have the same texts. */
function isSameContext(a: Context, b: Context): boolean {
  return (
    a.blocks.length === b.blocks.length &&
    a.blocks.every(({ surface, text }, index) => {
      const other = b.blocks[index];
      return text === other?.text && surface === other.surface;
    })
  );
}

const defaultOrder = 2;

function compose(guidance: string, surfaces: readonly Surface[], state: State): Context {
  const inOrder = surfaces.toSorted((a, b) => (a.order ?? defaultOrder) - (b.order ?? defaultOrder));
  const blocks = inOrder.flatMap((surface): Block[] => {
    const block = surface.block?.(state);
    return block ? [{ surface: surface.name, ...block }] : [];
  });
  const textsFor = (placement: Block["placement"]) =>
    blocks.filter((block) => block.placement === placement).map(({ text }) => text);
  return {
    surfaces: surfaces.map(({ name }) => name),
    guidance,
    blocks,
    ends: Object.fromEntries(surfaces.flatMap(({ name, end }) => (end === undefined ? [] : [[name, end]]))),
    system: [guidance, ...textsFor("system")].filter((text) => text !== "").join("\n\n"),
    message: textsFor("message").join("\n\n"),
  };
}

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
    isProgram: tool.isProgram ?? false,
  };
}

/** Some providers refuse dots in tool names, so `session.scratchpad` is also `session_scratchpad`. */
function toolsByName(surfaces: ReadonlyMap<Surface, readonly Tool[]>): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  const owners = new Map<string, string>();
  for (const [surface, own] of surfaces) {
    for (const tool of own) {
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
