import { warnFrom } from "../src/compaction/usage.ts";
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
const requestsPerTurn = 5;
/** Per request on average: new messages and results of tools, and the model's answer. */
const perRequest = { input: 800, output: 200 };
/** The coding agent's own system prompt and tools, and its summary. */
const own = { system: 20_000, summary: 1_300 };
/** Where Claude Code compacts a window of 200,000 tokens. */
const compactsAt = 167_000;

interface Parts {
  /** In every request. */
  constant?: number;
  /** In every request after a compaction, in place of the one before. */
  afterCompaction?: number;
  /** Tokens of a warning: it comes with the result of a tool, so the request is sent anyway. */
  warning?: number;
  /** Requests in which the agent does nothing but write its notepad. */
  extraRequests?: number;
}

/**
 * From one compaction to the next, in the middle of a long session. The number of requests in between is not rounded:
 * where the last of 100 turns falls would matter more than what is measured.
 */
function costOf({ constant = 0, afterCompaction = 0, warning = 0, extraRequests = 0 }: Parts): {
  dollars: number;
  compactions: number;
} {
  const perStep = perRequest.input + perRequest.output;
  const prefix = own.system + constant;
  const start = prefix + own.summary + afterCompaction;
  const requests = (compactsAt - start) / perStep;
  // System prompt and tools stay in the cache. Later requests read everything but the last answer, which they write.
  const later = (requests - 1) * (start - perRequest.output) + (perStep * requests * (requests - 1)) / 2;
  const compaction = compactsAt - perRequest.output;
  const warnAt = warnFrom(compactsAt);
  const warned = extraRequests * warnAt + (warning * (compactsAt - warnAt)) / perStep;
  const cached = prefix + later + compaction + warned;
  const written = requests * perStep + own.summary + afterCompaction + warning;
  const output = requests * perRequest.output + own.summary;
  const dollars = (cached * prices.cached + written * prices.write + output * prices.output) / 1e6;
  const compactions = (100 * requestsPerTurn) / requests;
  return { dollars: dollars * compactions, compactions };
}

const surfaces = findSurfaces(defaultSurfaces.server);
const tools = createToolbox(surfaces, { limits: defaultLimits, countTokens: () => 0 }, inHost).describe();
const shown = async (handoff: boolean) => estimateTokens((await runHooks(3, { handoff })).context);
const blocks = await shown(false);
const sizes = {
  tools: estimateTokens(JSON.stringify(tools.map(projectTool))),
  guidance: estimateTokens(instructionsOf(surfaces)),
  blocks,
  handoff: (await shown(true)) - blocks,
  warning: estimateTokens(warningText),
};
const parts: [name: string, tokens: number, parts: Parts][] = [
  ["tools", sizes.tools, { constant: sizes.tools }],
  ["guidance", sizes.guidance, { constant: sizes.guidance }],
  ["blocks after a compaction", sizes.blocks, { afterCompaction: sizes.blocks }],
  ["handoff", sizes.handoff, { afterCompaction: sizes.handoff }],
  ["warning", sizes.warning, { warning: sizes.warning }],
  ["a request for the notepad alone", 0, { extraRequests: 1 }],
];
const always = {
  constant: sizes.tools + sizes.guidance,
  afterCompaction: sizes.blocks + sizes.handoff,
  warning: sizes.warning,
};
const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);

const base = costOf({});
const row = (name: string, tokens: number, withParts: Parts) => {
  const dollars = costOf(withParts).dollars - base.dollars;
  const share = ((100 * dollars) / base.dollars).toFixed(2);
  return `| ${name} | ${tokens.toLocaleString("en-US")} | ${dollars.toFixed(3)} | ${share} % |`;
};
console.log(
  [
    `100 turns without memory: ${base.dollars.toFixed(2)} dollars, ${base.compactions.toFixed(1)} compactions\n`,
    "| Part | Tokens | Dollars per 100 turns | Share |\n| --- | --- | --- | --- |",
    ...parts.map(([name, tokens, part]) => row(name, tokens, part)),
    row("together, the notepad written next to another call", total, always),
    row("together, the notepad written by itself", total, { ...always, extraRequests: 1 }),
    row("together, the warning at the end of a turn", total, { ...always, extraRequests: 2 }),
  ].join("\n"),
);
