import { type StoredMessage, spokenText } from "../../context/conversation.ts";
import { isObject } from "../../engine/json.ts";
import { listResident, type State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";
import { commandIn } from "./call-input.ts";
import { callsIn, type MadeCall } from "./calls.ts";

/** Not the tools that list, read or end what was delegated. */
const delegating =
  /^(?:task|agent|spawn|delegate|subagent|dispatch)(?!_?(?:output|update|list|get|read|stop|create|status|kill|wait|close))/i;
const ending = /kill|stop|cancel|terminate/i;
const ended = /<status>(?:completed|failed|killed)|\bstatus"?[:=]\s*"?(?:completed|failed|killed|exited)/i;

/** Why something cannot be ended. */
const over =
  /not running|not found|no (?:such )?(?:shell|task|process|agent)|already|completed|exited|killed/i;

/** What still runs in the background, and the id that reaches it: commands, sub-agents, and delegated sessions. */
export function stillRunning(
  state: State,
  messages: readonly StoredMessage[],
  earlier: readonly string[] = [],
): string[] {
  const calls = callsIn(messages);
  let next = 0;
  const running = new Map(earlier.map((line) => [idIn(line), line]));
  for (const stored of messages) {
    if (stored.message.role === "user") for (const id of endedIn(stored)) running.delete(id);
    for (let call = calls[next]; call?.message === stored.number; call = calls[++next])
      // What failed or was refused did not start, and what cannot be ended has ended.
      if (!call.result?.isError) follow(call, running);
      else if (ending.test(call.tool) && over.test(call.result.text))
        running.delete(handleIn(call.fields) ?? "");
  }
  for (const [key, child] of listResident(state, "child"))
    if (isObject(child) && child.status === "running")
      running.set(key, `${oneLine(child.task, 120)} (session ${key})`);
  return [...new Set([...running.values()].reverse())].slice(0, 10);
}

/** Whether a call starts something in the background, or ends it. */
function follow({ id, tool, fields, paths, result }: MadeCall, running: Map<string, string>): void {
  const handle = running.size > 0 ? handleIn(fields) : undefined;
  if (handle !== undefined && (ending.test(tool) || (result !== undefined && ended.test(result.text))))
    running.delete(handle);
  const isBackground =
    fields.run_in_background === true || fields.background === true || fields.detached === true;
  const isOpenAgent = result === undefined && delegating.test(tool);
  if (!isBackground && !isOpenAgent) return;
  const what = oneLine(commandIn(fields, paths) ?? firstText(fields), 120);
  const started = startedId.exec(result?.text ?? "")?.[1];
  // The id of the call itself reaches nothing.
  const reach = started === undefined ? "not finished" : `id ${started}`;
  running.set(started ?? id, `${what} (${tool}, ${reach})`);
}

/** "with ID: b12", "agentId: af83", "pid 4711". */
const startedId = /(?:\b|[a-z_])(?:id|ID|Id|pid)"?[:= ]+["'`]?((?=[\w-]*\d)[\w-]{2,60})/;

/** The ids of what a host says has ended, in a message in the user's place. */
function endedIn({ message }: StoredMessage): string[] {
  const text = spokenText(message);
  if (!text.includes("-notification>") || !ended.test(text)) return [];
  return [...text.matchAll(/<(?:task|agent|shell|bash)-?_?id>\s*([\w-]+)\s*</g)].map(([, id = ""]) => id);
}

/** What a call refers to: the id of something that was started before. */
function handleIn(fields: Record<string, unknown>): string | undefined {
  for (const name of handles) {
    const id = fields[name];
    if (typeof id === "string") return id;
  }
  return undefined;
}

const handles = ["bash_id", "shell_id", "task_id", "taskId", "agent_id", "agentId", "id"];

function idIn(line: string): string {
  return /, id ([\w-]+)\)$/.exec(line)?.[1] ?? line;
}

function firstText(fields: Record<string, unknown>): string {
  const named = fields.description ?? fields.prompt;
  return typeof named === "string" ? named : "";
}
