import { summarizationMiddleware } from "langchain";
import type { System } from "../survival/system.ts";
import { chatModel, langchainDurability, openCheckpoints, openLangchain } from "./langchain-agent.ts";

/** As in LangChain's guide to short-term memory: a trigger and what to keep, here as shares of the window. */
export const system: System = {
  name: "LangChain summarizationMiddleware",
  package: "langchain",
  configuration: "trigger at 80 % of the window, keep 25 %; its own prompt for summaries",
  durability: langchainDurability,
  isDurable: true,
  openStore: openCheckpoints,
  open: (setting) =>
    openLangchain(setting, [
      summarizationMiddleware({
        model: chatModel(setting),
        trigger: { tokens: Math.floor(setting.window * 0.8) },
        keep: { tokens: Math.floor(setting.window * 0.25) },
        // The default summarizes only the newest 4,000 tokens of what is removed.
        trimTokensToSummarize: setting.window,
      }),
    ]),
};
