import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import type { System } from "../survival/system.ts";
import { langchainDurability, openLangchain } from "./langchain-agent.ts";

/** As in LangChain's list of built-in middleware: old tool results are cleared, nothing else. */
export const system: System = {
  name: "LangChain contextEditingMiddleware",
  package: "langchain",
  configuration: "ClearToolUsesEdit: at 60 % of the window, keep the 3 newest results",
  durability: langchainDurability,
  isDurable: true,
  summarises: false,
  open: (setting) =>
    openLangchain(setting, [
      contextEditingMiddleware({
        edits: [
          new ClearToolUsesEdit({
            trigger: { tokens: Math.floor(setting.window * 0.6) },
            keep: { messages: 3 },
          }),
        ],
      }),
    ]),
};
