import type { AgentOptions } from "../../agent/options.ts";
import type { WorkspaceConfig } from "../../workspace/config.ts";

type ConfiguredOptions = Omit<AgentOptions, "memory" | "model" | "contextWindow">;

/** The options of the agent that a workspace's config sets. */
export function agentOptionsOf({
  values,
  nudges,
}: Pick<WorkspaceConfig, "values" | "nudges">): ConfiguredOptions {
  const { placement, compactAt, keep, clearing } = values;
  return {
    ...defined({ placement, compactAt, keep }),
    nudges,
    ...(clearing === false ? { clearing } : {}),
    compactAfterTasks: values["project.compactAfterTasks"] ?? 0,
  };
}

/** Without the options that are undefined: an agent would take those for given. */
function defined<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: NonNullable<Options[Name]> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Options]?: NonNullable<Options[Name]> };
}
