import { estimateTokens } from "../../context/estimate-tokens.ts";
import { objectIn, textIn } from "../../engine/json.ts";
import { countIn } from "../transcript/json-lines.ts";
import type { OpencodeMessage } from "./api.ts";

/** The tokens of the last model call since the last compaction, and an estimate of the results that came after it. */
export function tokensIn(messages: readonly OpencodeMessage[]): number {
  const last = messages.findLast(({ info }) => info.role === "assistant" && usageOf(info) > 0);
  if (!last || last.info.summary === true) return 0;
  const outputs = last.parts.map(({ state }) => textIn(objectIn(state).output));
  return usageOf(last.info) + outputs.reduce((sum, output) => sum + estimateTokens(output), 0);
}

function usageOf({ tokens }: OpencodeMessage["info"]): number {
  const { input, output, cache } = objectIn(tokens);
  const { read, write } = objectIn(cache);
  return [input, output, read, write].reduce<number>((sum, count) => sum + countIn(count), 0);
}
