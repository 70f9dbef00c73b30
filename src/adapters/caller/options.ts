import type { ToolSet } from "ai";
import type { AgentEvent } from "../../agent/events.ts";
import { type AgentConfig, type AgentOptions, agentConfig, agentOptionKinds } from "../../agent/options.ts";
import { anything, type OptionKinds } from "../../engine/options.ts";
import { HoldfastError } from "../../errors.ts";
import { type SurfaceChoice, toolboxFor } from "../../sessions/options.ts";
import type { Session } from "../../sessions/session.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import { defaultSurfaces } from "../../surfaces/surfaces.ts";
import { dotless, type Toolbox } from "../../surfaces/toolbox.ts";

/** The options of an agent that adapters have too. */
const sharedOptions = [
  "surfaces",
  "contextWindow",
  "placement",
  "compactAt",
  "keep",
  "outputReserve",
  "memoryShare",
  "summaryModel",
  "clearing",
  "nudges",
  "promptCache",
  "ledger",
] as const satisfies readonly (keyof AgentOptions)[];

/** Options of every adapter. Limits and tokenizer come from `openMemory`. */
export interface AdapterOptions extends Pick<AgentOptions, (typeof sharedOptions)[number]> {
  session: Session;
  /**
   * Forms of memory for this agent (default: those of `openMemory`; without any there,
   * `notepad`, `notes`, `tasks`, `results`, `recall` and `pins`).
   */
  surfaces?: readonly SurfaceChoice[];
  /** Called with warnings, handoffs, compactions, receipts and failures. */
  onEvent?: (event: AgentEvent) => void;
}

/** The options of a conversation's memory, besides its session. Without a window nothing is compacted. */
export type CallerOptions = Partial<Omit<AdapterOptions, "session">> & { tools?: ToolSet };

/** The kinds of an adapter's options. */
export const adapterOptionKinds: OptionKinds = {
  ...Object.fromEntries(sharedOptions.map((name) => [name, agentOptionKinds[name]])),
  ...{ session: anything, model: anything, tools: anything, onEvent: anything },
};

function adapterToolbox(
  { setting }: Pick<Session, "setting">,
  { surfaces }: Pick<CallerOptions, "surfaces">,
): Toolbox {
  const toolbox = toolboxFor(setting, surfaces, defaultSurfaces.adapter);
  checkUsable(toolbox);
  return toolbox;
}

/** Memory's tools in a form that suits every framework: a name without dots, a description, a JSON Schema. */
export function describeTools(
  source: Pick<Session, "setting">,
  { placement = "epoch", ...options }: Pick<CallerOptions, "placement" | "surfaces">,
) {
  const toolbox = adapterToolbox(source, options);
  const { tools } = toolbox.presentAs({ shown: placement, keepsConversation: true, dotless: true });
  return tools.map(({ name, description, input }) => ({
    name: dotless(name),
    description,
    schema: schemaOf(input, "input"),
  }));
}

function checkUsable({ needsAgent: [unusable] }: Toolbox): void {
  if (unusable === undefined) return;
  throw new HoldfastError(
    "invalid_input",
    `The surface "${unusable}" needs an agent that Holdfast runs itself: use createAgent from "holdfast/agent", or open the memory without it.`,
    { data: { surface: unusable } },
  );
}

/** Without a context window the adapter never compacts and never calls the model. */
export function adapterConfig(session: Session, options: CallerOptions): AgentConfig {
  const { contextWindow = Number.POSITIVE_INFINITY, surfaces, ...rest } = options;
  const toolbox = adapterToolbox(session, surfaces ? { surfaces } : {});
  return agentConfig(session.setting, toolbox, { ...rest, contextWindow });
}

/** Receive events and failures. Memory failures never block the agent and are never silent. */
export interface Listeners {
  emit: (event: AgentEvent) => void;
  report: (error: unknown) => void;
}

export function listenersOf({ onEvent }: Pick<CallerOptions, "onEvent">): Listeners {
  return {
    emit: (event) => onEvent?.(event),
    report: (error) => {
      const message = `Memory failed; the agent continues without it: ${error instanceof Error ? error.message : String(error)}`;
      if (onEvent) onEvent({ type: "error", message });
      else console.warn(`holdfast: ${message}`);
    },
  };
}
