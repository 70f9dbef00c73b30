import { type StoredMessage, toolCallsOf } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import { listResident, type State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn, fieldsOf } from "./call-input.ts";
import { resultsIn } from "./results.ts";

/** Not the tools that list, read or end what was delegated. */
const delegating =
  /^(?:task|agent|spawn|delegate|subagent|dispatch)(?!_?(?:output|update|list|get|read|stop|create|status|kill|wait|close))/i;
const ending = /kill|stop|cancel|terminate/i;
const ended = /<status>(?:completed|failed|killed)|\bstatus"?[:=]\s*"?(?:completed|failed|killed|exited)/i;

/** What still runs in the background, and the id that reaches it: commands, sub-agents, and delegated sessions. */
export function stillRunning(
  state: State,
  messages: readonly StoredMessage[],
  earlier: readonly string[] = [],
): string[] {
  const { byCall } = resultsIn(messages);
  const running = new Map(earlier.map((line) => [idIn(line), line]));
  for (const { id, tool, input } of messages.flatMap(toolCallsOf)) {
    const fields = fieldsOf(input);
    const result = byCall.get(id)?.text;
    const handle = typeof fields.bash_id === "string" ? fields.bash_id : firstText(fields);
    const isKnown = running.has(handle);
    if (isKnown && (ending.test(tool) || (result !== undefined && ended.test(result))))
      running.delete(handle);
    const isBackground =
      fields.run_in_background === true || fields.background === true || fields.detached === true;
    const isOpenAgent = result === undefined && delegating.test(tool);
    if (!isBackground && !isOpenAgent) continue;
    const what = oneLine(commandIn(fields) ?? firstText(fields), 120);
    const started = /\b(?:id|ID|pid)"?[:= ]+["'`]?((?=[\w-]*\d)[\w-]{2,60})/.exec(result ?? "")?.[1];
    // The id of the call itself reaches nothing.
    const reach = started === undefined ? "not finished" : `id ${started}`;
    running.set(started ?? id, `${what} (${tool}, ${reach})`);
  }
  for (const [key, child] of listResident(state, "child"))
    if (isObject(child) && child.status === "running")
      running.set(key, `${oneLine(child.task, 120)} (session ${key})`);
  return [...new Set([...running.values()].reverse())].slice(0, 10);
}

function idIn(line: string): string {
  return /, id ([\w-]+)\)$/.exec(line)?.[1] ?? line;
}

function firstText(fields: Record<string, unknown>): string {
  const named = fields.description ?? fields.shell_id ?? fields.id ?? fields.prompt;
  return typeof named === "string" ? named : "";
}
