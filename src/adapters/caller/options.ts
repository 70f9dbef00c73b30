import type { ToolSet } from "ai";
import type { AgentEvent } from "../../agent/events.ts";
import { type AgentConfig, type AgentOptions, agentConfig, agentOptionKinds } from "../../agent/options.ts";
import { anything, type OptionKind, type OptionKinds } from "../../engine/options.ts";
import { HoldfastError } from "../../errors.ts";
import { type SurfaceChoice, toolboxFor } from "../../sessions/options.ts";
import type { Session } from "../../sessions/session.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import { defaultSurfaces } from "../../surfaces/surfaces.ts";
import { dotless, type Toolbox } from "../../surfaces/toolbox.ts";

/** Options of the memory tools. Limits and tokenizer come from `openMemory`. */
export interface ToolOptions {
  /**
   * Forms of memory for this agent (default: those of `openMemory`; without any there,
   * `notepad`, `notes`, `tasks`, `results`, `recall` and `pins`).
   */
  surfaces?: readonly SurfaceChoice[];
}

/** Where to place memory in the prompt. */
export interface PlacementOptions
  extends ToolOptions,
    Pick<AgentOptions, "placement" | "nudges" | "promptCache" | "ledger"> {
  /** Called with warnings, checkpoints, compactions, receipts and failures. */
  onEvent?: (event: AgentEvent) => void;
}

/** When and how to compact the conversation. */
export interface CompactionOptions
  extends PlacementOptions,
    Pick<
      AgentOptions,
      "contextWindow" | "summaryModel" | "compactAt" | "keep" | "outputReserve" | "memoryShare" | "clearing"
    > {
  session: Session;
}

type Kinds<Name extends string> = Record<Name, OptionKind | OptionKinds>;

const { surfaces, placement, nudges, promptCache, ledger, ...driverKinds } = agentOptionKinds;
const { model, tools, contextWindow, summaryModel, compactAt, keep, ...roomKinds } = driverKinds;
const { outputReserve, memoryShare, clearing } = roomKinds;

/** What each option of the adapter's functions may be. */
export const toolKinds = { surfaces } satisfies Kinds<keyof ToolOptions>;
export const placementKinds = {
  ...toolKinds,
  placement,
  nudges,
  promptCache,
  ledger,
  onEvent: anything,
} satisfies Kinds<keyof PlacementOptions>;
export const compactionKinds = {
  ...placementKinds,
  ...{ session: anything, model, tools, contextWindow, summaryModel, compactAt, keep },
  ...{ outputReserve, memoryShare, clearing },
} satisfies Kinds<keyof CompactionOptions | "model" | "tools">;

function adapterToolbox({ setting }: Pick<Session, "setting">, { surfaces }: ToolOptions): Toolbox {
  const toolbox = toolboxFor(setting, surfaces, defaultSurfaces.adapter);
  checkUsable(toolbox);
  return toolbox;
}

/** Memory's tools in a form that suits every framework: a name without dots, a description, a JSON Schema. */
export function describeTools(
  source: Pick<Session, "setting">,
  { placement = "epoch", ...options }: Pick<PlacementOptions, "placement" | "surfaces">,
) {
  const toolbox = adapterToolbox(source, options);
  const { tools } = toolbox.readAs({ shown: placement, keepsConversation: true, dotless: true });
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
export function adapterConfig(
  session: Session,
  options: PlacementOptions & Omit<Partial<CompactionOptions>, "session"> & { tools?: ToolSet },
): AgentConfig {
  const { contextWindow = Number.POSITIVE_INFINITY, surfaces, ...rest } = options;
  const toolbox = adapterToolbox(session, surfaces ? { surfaces } : {});
  return agentConfig(session.setting, toolbox, { ...rest, contextWindow });
}

/** Receive events and failures. Memory failures never block the agent and are never silent. */
export interface Listeners {
  emit: (event: AgentEvent) => void;
  report: (error: unknown) => void;
}

export function listenersOf({ onEvent }: Pick<PlacementOptions, "onEvent">): Listeners {
  return {
    emit: (event) => onEvent?.(event),
    report: (error) => {
      const message = `Memory failed; the agent continues without it: ${error instanceof Error ? error.message : String(error)}`;
      if (onEvent) onEvent({ type: "error", message });
      else console.warn(`holdfast: ${message}`);
    },
  };
}
