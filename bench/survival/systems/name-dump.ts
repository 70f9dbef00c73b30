import { textOf, tokensIn } from "../request-text.ts";
import type { System } from "../system.ts";
import { openPlainAgent } from "./plain-agent.ts";

/** As much as Holdfast's largest checkpoint. */
const maxTokens = 2_500;

/** Paths, ids, flags, numbers and quoted words: everything that looks like a name. */
const names = /[\w@:./'=-]*[\d_/:=-][\w@:./'=-]*/g;

export const nameDump: System = {
  name: "dump of names",
  configuration:
    "no memory, and a list of every name in the removed messages, newest first, up to 2,500 tokens",
  durability: "none: the conversation is in the process",
  isDurable: false,
  open: async (setting) =>
    openPlainAgent(setting, (removed) => {
      const found = new Set(
        removed
          .flatMap((message) => textOf(message).match(names) ?? [])
          .filter((name) => name.length >= 3)
          .reverse(),
      );
      const list: string[] = [];
      let tokens = 0;
      for (const name of found) {
        tokens += tokensIn(`${name} `);
        if (tokens > maxTokens) break;
        list.push(name);
      }
      return `Names: ${list.join(" ")}`;
    }),
};
