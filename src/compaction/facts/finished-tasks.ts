import { isFinalAnswer, type StoredMessage } from "../../context/conversation.ts";
import { fieldsOf, patchedFiles, pathsIn } from "./call-input.ts";
import { callsIn } from "./calls.ts";
import { actionOf } from "./files.ts";
import { resultsIn } from "./results.ts";

type Message = StoredMessage["message"];

/** The messages of a finished task, both numbers included: from the call that begins it to the one that ends it. */
interface FinishedTask {
  from: number;
  to: number;
}

/**
 * Collapses finished tasks among the removed messages: the calls that begin and end a task stay, and with them its
 * description and outcome; so do the files it wrote, what the user said and what the agent answered. Its other steps
 * make room for what is still open. Messages after `to` are left alone, because the model still sees them.
 */
export function collapseTasks(messages: readonly StoredMessage[], to: number): readonly StoredMessage[] {
  const tasks = findFinished(messages).filter((task) => task.to <= to);
  if (tasks.length === 0) return messages;
  const { failed } = resultsIn(messages);
  const isInside = ({ number }: StoredMessage) =>
    tasks.some((task) => task.from <= number && number <= task.to);
  const kept = new Set<string>();
  return messages.flatMap((stored) => {
    if (!isInside(stored) || stored.message.role === "user" || isFinalAnswer(stored)) return stored;
    const message = reduced(stored.message, failed, kept);
    return message ? { ...stored, message } : [];
  });
}

/** The name as the host shows it, such as mcp__holdfast__begin_task. */
const taskTool = /(?:^|[_.:/-])(begin|end|cancel)_task$/;

/** A task that ends but does not begin here began in an earlier epoch. */
function findFinished(messages: readonly StoredMessage[]): FinishedTask[] {
  const { failed } = resultsIn(messages);
  const open: number[] = [];
  const finished: FinishedTask[] = [];
  for (const { tool, id, message } of callsIn(messages)) {
    const kind = !tool.endsWith("_task") || failed.has(id) ? undefined : taskTool.exec(tool)?.[1];
    if (kind === "begin") open.push(message);
    else if (kind !== undefined) finished.push({ from: open.pop() ?? 0, to: message });
  }
  return finished;
}

/** What is left of a message of a finished task; undefined if nothing is. `kept` collects the calls that stay. */
function reduced(message: Message, failed: ReadonlySet<string>, kept: Set<string>): Message | undefined {
  if (message.role === "tool") {
    const content = message.content.flatMap((part) =>
      part.type === "tool-result" && kept.has(part.toolCallId)
        ? { ...part, output: { type: "text" as const, value: "" } }
        : [],
    );
    return content.length === 0 ? undefined : { ...message, content };
  }
  if (message.role !== "assistant" || typeof message.content === "string") return undefined;
  const content = message.content.flatMap((part) => {
    if (part.type !== "tool-call") return [];
    const input = taskTool.test(part.toolName) ? part.input : writtenFiles(part.toolName, part.input);
    if (input === undefined || failed.has(part.toolCallId)) return [];
    kept.add(part.toolCallId);
    return { ...part, input };
  });
  return content.length === 0 ? undefined : { ...message, content };
}

/** The input of a call that wrote files, without the text it wrote; undefined for another call. */
function writtenFiles(tool: string, input: unknown): unknown {
  const fields = fieldsOf(input);
  const { command } = fields;
  const paths = [...new Set([...pathsIn(fields), ...patchedFiles(input)])];
  const isWrite = patchedFiles(input).length > 0 || actionOf(tool, fields) !== "read";
  if (!isWrite || paths.length === 0) return undefined;
  return { paths, ...(pathsIn(fields).length > 0 && typeof command === "string" ? { command } : {}) };
}
