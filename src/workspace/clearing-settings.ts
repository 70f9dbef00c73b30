import { defaultClearing } from "../engine/clearing-policy.ts";
import { amount, listOf, text, toggle, wholeNumber } from "../engine/options.ts";
import type { Setting } from "./settings.ts";

type Where = Required<Pick<Setting, "actsIn" | "elsewhere">>;

/** When old tool results are replaced with one-line stubs. Of the kinds of results, the chat's own tools have searches and files. */
export function clearingSettings(where: Where) {
  const size = (name: Size, description: string): Setting<number> => ({
    kind: wholeNumber(0),
    default: defaultClearing[name],
    description,
    ...where,
  });
  const price = (name: Price, description: string): Setting<number> => ({
    kind: amount,
    default: defaultClearing[name],
    description,
    ...where,
  });
  const enabled: Setting<boolean> = {
    kind: toggle,
    default: true,
    description: "Whether old tool results are replaced with one-line stubs. Needs the surface results.",
    ...where,
  };
  const exclude: Setting<readonly string[]> = {
    kind: listOf(text),
    default: defaultClearing.exclude,
    description: "Tools whose results are never cleared.",
    ...where,
  };
  return {
    "clearing.enabled": enabled,
    "clearing.searchTokens": size("searchTokens", "A search result of this size is cleared."),
    "clearing.fileTokens": size("fileTokens", "A file of this size is cleared."),
    "clearing.accumulatedTokens": size(
      "accumulatedTokens",
      "Smaller results of one kind are cleared once they add up to this.",
    ),
    "clearing.sessionTokens": size(
      "sessionTokens",
      "Smaller results of every kind are cleared once all results add up to this.",
    ),
    "clearing.leastTokens": size("leastTokens", "Results smaller than this are kept."),
    "clearing.keepLast": size("keepLast", "Number of newest results to keep."),
    "clearing.exclude": exclude,
    "clearing.cachedPrice": price("cachedPrice", "Price of a cached input token relative to a fresh one."),
    "clearing.writePrice": price("writePrice", "Price of a cache write relative to a fresh input token."),
  };
}

type Price = "cachedPrice" | "writePrice";
type Size = Exclude<keyof typeof defaultClearing, "exclude" | Price>;
