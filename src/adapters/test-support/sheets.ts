import {
  append,
  call,
  filler,
  isSummaryRequest,
  plainSummary,
  type Script,
} from "../../../test/support/agent.ts";
import type { ScriptedRequest } from "../../testing/index.ts";

/** The answer of the tool `read_sheet` of the tests' agents. */
export const sheetText = (sheet: number) =>
  `Sheet ${sheet} has the id SH-${1000 + sheet}. ${filler(400, `cell${sheet}`)}`;

/** Whether the agent's own turn asks, not a warning: the agent's tools are offered. */
export const isOwnTurn = ({ tools = [] }: ScriptedRequest) =>
  tools.some(({ function: { name } }) => name === "read_sheet");

/** Reads the sheets one after another, and writes down where it is when it is warned. */
export function readSheets(sheets: number): Script {
  let sheet = 0;
  return (request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (!isOwnTurn(request))
      return request.messages.at(-1)?.role === "tool"
        ? { text: "Saved." }
        : { toolCalls: [append(`- read up to sheet ${sheet}`)] };
    return sheet++ < sheets
      ? { toolCalls: [call("read_sheet", { sheet }, `call_${sheet}`)] }
      : { text: "All sheets are read." };
  };
}
