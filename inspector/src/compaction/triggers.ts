import type { Reply } from "../api.ts";
import { count, percent } from "../format.ts";

type Why = Pick<Reply<"compaction">, "trigger" | "tokensBefore" | "tokensBy">;

/** Why a compaction happened, with the numbers: "86 % full (3,783 of 4,400 tokens)". */
export function whyOf({ trigger, tokensBefore, tokensBy }: Why, limit: number | undefined): string {
  const isHost = trigger === "host";
  const about = tokensBy === "estimate" && isHost ? "about " : "";
  const fill =
    limit === undefined || limit < tokensBefore
      ? `at ${about}${count(tokensBefore)} tokens`
      : `${percent(tokensBefore, limit)} full (${about}${count(tokensBefore)} of ${isHost ? "about " : ""}${count(limit)} tokens)`;
  switch (trigger) {
    case "threshold":
      return fill;
    case "projected":
      return `the next turn would not have fit: ${fill}`;
    case "overflow":
      return `the provider rejected the prompt as too long: ${fill}`;
    case "manual":
      return `someone asked for it, ${fill}`;
    case "tasks":
      return "enough tasks were closed";
    case "sub-session":
      return "a sub-session needed room";
    case "host":
      return `the host compacted its conversation, ${fill}`;
  }
}
