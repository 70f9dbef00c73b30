import { warningText } from "../src/compaction/warning.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";
import { defaultLimits } from "../src/engine/limits.ts";
import { projectTool } from "../src/mcp/project-tools.ts";
import { instructionsOf } from "../src/mcp/server.ts";
import { inHost } from "../src/surfaces/surface.ts";
import { defaultSurfaces, findSurfaces } from "../src/surfaces/surfaces.ts";
import { createToolbox } from "../src/surfaces/toolbox.ts";
import { runHooks } from "./resume/claude-code.ts";

/**
 * The cost of the default install per 100 turns with a provider that caches prompts, in parts: `node bench/money.ts`. The
 * notepad's own text is left out: it stands for words that the agent would need anyway.
 *
 * Dollars per million tokens. Anthropic takes 1.25 times the input price for what it writes into the cache (for five
 * minutes) and a tenth for what it reads from it. OpenAI's older models write for free. The user is never away for so long
 * that the cache is lost.
 */
const prices = { write: 3.75, cached: 0.3, output: 15 };
const turns = 100;
const requestsPerTurn = 5;
/** Per request: new messages and results of tools, and the model's answer. */
const perRequest = { input: 800, output: 200 };
/** The coding agent's own system prompt and tools, and its summary. */
const own = { system: 20_000, summary: 1_300 };
/** Where Claude Code compacts a window of 200,000 tokens. */
const compactsAt = 167_000;

interface Parts {
  /** In every request. */
  constant: number;
  /** In every request after a compaction, in place of the one before. */
  afterCompaction: number;
  /** Tokens of a warning, which takes one more request. */
  warning: number;
}

const none: Parts = { constant: 0, afterCompaction: 0, warning: 0 };

function simulate({ constant, afterCompaction, warning }: Parts): { dollars: number; compactions: number } {
  const totals = { written: 0, cached: 0, output: 0 };
  const prefix = own.system + constant;
  let compactions = 0;
  let cached = 0;
  /** In the next request, and not in the cache yet. */
  let fresh = prefix;
  const request = (input: number, output: number) => {
    totals.cached += cached;
    totals.written += fresh + input;
    totals.output += output;
    cached += fresh + input;
    fresh = output;
  };
  for (let count = 0; count < turns * requestsPerTurn; count++) {
    if (cached + fresh >= compactsAt) {
      if (warning > 0) request(warning, 0);
      request(0, own.summary);
      compactions++;
      // System prompt and tools stay in the cache.
      cached = prefix;
      fresh = own.summary + afterCompaction;
    }
    request(perRequest.input, perRequest.output);
  }
  const dollars =
    (totals.written * prices.write + totals.cached * prices.cached + totals.output * prices.output) / 1e6;
  return { dollars, compactions };
}

const surfaces = findSurfaces(defaultSurfaces.server);
const tools = createToolbox(surfaces, { limits: defaultLimits, countTokens: () => 0 }, inHost).describe();
const shown = async (handoff: boolean) => estimateTokens((await runHooks(3, { handoff })).context);
const blocks = await shown(false);
const sizes = {
  tools: estimateTokens(JSON.stringify(tools.map(projectTool))),
  guidance: estimateTokens(instructionsOf(surfaces)),
  blocks,
  "warning turn": estimateTokens(warningText),
  handoff: (await shown(true)) - blocks,
};
const parts: Record<keyof typeof sizes, Parts> = {
  tools: { ...none, constant: sizes.tools },
  guidance: { ...none, constant: sizes.guidance },
  blocks: { ...none, constant: sizes.blocks },
  "warning turn": { ...none, warning: sizes["warning turn"] },
  handoff: { ...none, afterCompaction: sizes.handoff },
};

const base = simulate(none);
const row = (name: string, tokens: number, dollars: number) =>
  `| ${name} | ${tokens.toLocaleString("en-US")} | ${dollars.toFixed(3)} | ${((100 * dollars) / base.dollars).toFixed(2)} % |`;
console.log(
  `${turns} turns without memory: ${base.dollars.toFixed(2)} dollars, ${base.compactions} compactions\n`,
);
console.log("| Part | Tokens | Dollars per 100 turns | Share |\n| --- | --- | --- | --- |");
for (const name of Object.keys(sizes) as (keyof typeof sizes)[])
  console.log(row(name, sizes[name], simulate(parts[name]).dollars - base.dollars));
const all = simulate({
  constant: sizes.tools + sizes.guidance + sizes.blocks,
  afterCompaction: sizes.handoff,
  warning: sizes["warning turn"],
});
const total = Object.values(sizes).reduce((sum, tokens) => sum + tokens, 0);
console.log(row("together", total, all.dollars - base.dollars));
