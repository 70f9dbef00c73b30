import { noNudges } from "../compaction/nudges.ts";
import { placements } from "../context/placement.ts";
import { defaultChildLimits } from "../engine/agent-defaults.ts";
import { defaultClearing } from "../engine/clearing-policy.ts";
import {
  amount,
  anything,
  checkOptions,
  listOf,
  type OptionKind,
  type OptionKinds,
  oneOf,
  share,
  someShare,
  text,
  threshold,
  toggle,
  wholeNumber,
} from "../engine/options.ts";
import { HoldfastError } from "../errors.ts";
import { type AgentOptions, modelSettings } from "./options.ts";

const tokens: OptionKind<number> = {
  ...amount,
  expected: "a number of tokens above 0",
  read: (value) => amount.read(value) || undefined,
};

/** One kind for every key of an object of defaults. */
function each<Name extends string>(
  defaults: Record<Name, unknown>,
  kind: OptionKind,
): Record<Name, OptionKind> {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, kind])) as Record<Name, OptionKind>;
}

/** What each option of an agent may be. Adapters share most of them. */
export const agentOptionKinds = {
  // The AI SDK checks these itself.
  ...(Object.fromEntries(modelSettings.map((name) => [name, anything])) as Record<
    (typeof modelSettings)[number],
    OptionKind
  >),
  toolChoice: anything,
  promptCache: toggle,
  memory: anything,
  model: anything,
  summaryModel: anything,
  summaryInPlace: toggle,
  tools: anything,
  surfaces: listOf(anything),
  system: text,
  contextWindow: tokens,
  placement: oneOf(placements),
  foldAfter: amount,
  compactAt: someShare,
  keep: share,
  outputReserve: amount,
  memoryShare: someShare,
  compactAfterTasks: threshold,
  maxSteps: wholeNumber(1),
  ledger: toggle,
  nudges: each(noNudges, threshold),
  clearing: anything,
  children: each(defaultChildLimits, { ...tokens, expected: "a number above 0" }),
} satisfies Record<keyof AgentOptions, OptionKind | OptionKinds>;

const clearingKinds = {
  ...each(defaultClearing, wholeNumber(0)),
  exclude: listOf(text),
  cachedPrice: amount,
  writePrice: amount,
};

/** Throws on an option that does not exist or has a bad value: with NaN, for example, nothing would ever be compacted. */
export function checkAgentOptions(
  owner: string,
  options: object,
  kinds: OptionKinds = agentOptionKinds,
): void {
  checkOptions(owner, options, kinds);
  const {
    clearing,
    outputReserve = 0,
    contextWindow = Number.POSITIVE_INFINITY,
  } = options as Partial<AgentOptions>;
  // `false` turns clearing off.
  if (clearing !== false) checkOptions(owner, clearing, clearingKinds, ["clearing"]);
  if (outputReserve < contextWindow) return;
  throw new HoldfastError(
    "invalid_input",
    `The option "outputReserve" of ${owner} must be less than the contextWindow of ${contextWindow} tokens (got ${outputReserve}).`,
    { data: { option: "outputReserve" } },
  );
}
