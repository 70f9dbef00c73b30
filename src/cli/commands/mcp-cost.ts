import { estimateTokens } from "../../context/estimate-tokens.ts";
import { defaultLimits } from "../../engine/limits.ts";
import { projectTool } from "../../mcp/project-tools.ts";
import { inHost, type Surface } from "../../surfaces/surface.ts";
import { createToolbox } from "../../surfaces/toolbox.ts";
import { count, counted } from "../terminal/quantities.ts";
import { print } from "../terminal/screen.ts";

interface SurfaceCost {
  surface: string;
  tools: number;
  /** Tokens of the surface's part of `tools/list`. */
  tokens: number;
}

/** The estimated token cost of each surface's tool definitions. */
function measureCost(surfaces: readonly Surface[]): SurfaceCost[] {
  return surfaces.map((surface) => {
    const toolbox = createToolbox([surface], { limits: defaultLimits, countTokens: () => 0 }, inHost);
    const tools = toolbox.describe().map(projectTool);
    return { surface: surface.name, tools: tools.length, tokens: estimateTokens(JSON.stringify(tools)) };
  });
}

export function printCost(surfaces: readonly Surface[], json: boolean): number {
  const costs = measureCost(surfaces);
  print({ json }, costs, () => [
    "Tokens of tool definitions, as tools/list sends them (estimated):",
    ...costs.map(
      ({ surface, tools, tokens }) =>
        `  ${surface.padEnd(12)}${count(tokens).padStart(6)}  ${counted(tools, "tool")}`,
    ),
  ]);
  return 0;
}
