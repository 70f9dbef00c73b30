import { defaultClearing } from "../engine/clearing-policy.ts";
import { amount, listOf, text, toggle, wholeNumber } from "../engine/options.ts";
import type { Setting } from "./settings.ts";

type Where = Required<Pick<Setting, "actsIn" | "elsewhere">>;

/** When old tool results are replaced with one-line stubs; "holdfast replay" shows what that saves. */
export function clearingSettings({ actsIn, elsewhere }: Where) {
  const where: Where = { actsIn: [...actsIn, "commands"], elsewhere };
  // The chat's own tools read and search files.
  const inReplay: Where = {
    actsIn: ["commands"],
    elsewhere: `the chat has no tool with such a result, and ${elsewhere}`,
  };
  const size = (name: Size, description: string, acts = where): Setting<number> => ({
    kind: wholeNumber(0),
    default: defaultClearing[name],
    description,
    ...acts,
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
    actsIn,
    elsewhere: `"holdfast replay" shows both, and ${elsewhere}`,
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
    "clearing.treeTokens": size("treeTokens", "A directory listing of this size is cleared.", inReplay),
    "clearing.jsonTokens": size("jsonTokens", "A JSON answer of this size is cleared.", inReplay),
    "clearing.testTokens": size("testTokens", "A test run of this size is cleared.", inReplay),
    "clearing.otherTokens": size("otherTokens", "Any other result of this size is cleared.", inReplay),
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
