import type { AgentOptions } from "../../agent/options.ts";
import type { WorkspaceConfig } from "../../workspace/config.ts";
import { settingsIn } from "../../workspace/library-options.ts";

type ConfiguredOptions = Omit<AgentOptions, "memory" | "model" | "contextWindow">;

/** The options of the agent that a workspace's config sets. */
export function agentOptionsOf({
  values,
  nudges,
}: Pick<WorkspaceConfig, "values" | "nudges">): ConfiguredOptions {
  const {
    placement,
    compactAt,
    keep,
    outputReserve,
    memoryShare,
    foldAfter,
    maxSteps,
    summaryInPlace,
    ledger,
  } = values;
  const { enabled = true, ...clearing } = settingsIn({ values }, "clearing");
  return {
    ...defined({
      placement,
      compactAt,
      keep,
      outputReserve,
      memoryShare,
      foldAfter,
      maxSteps,
      summaryInPlace,
      ledger,
    }),
    nudges,
    clearing: enabled ? clearing : false,
    compactAfterTasks: values["project.compactAfterTasks"] ?? 0,
    children: settingsIn({ values }, "children"),
  };
}

/** Without the options that are undefined: an agent would take those for given. */
function defined<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: NonNullable<Options[Name]> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Options]?: NonNullable<Options[Name]> };
}
