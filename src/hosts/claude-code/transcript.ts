import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { calledTool, saidBy, type TranscriptLine, toolAnswered } from "../transcript/line.ts";

/** One line of a Claude Code transcript; sub-agents have conversations of their own and are left out. */
export function readClaudeLine(line: Record<string, unknown>): TranscriptLine {
  if (line.isSidechain === true) return undefined;
  if (line.type === "system" && line.subtype === "compact_boundary") return { summary: "" };
  const { content } = objectIn(line.message);
  if (line.type === "assistant" && line.isApiErrorMessage !== true) return { messages: answer(content) };
  if (line.type !== "user" || line.isMeta === true) return undefined;
  if (line.isCompactSummary === true) return { summary: plainText(content) };
  return { messages: question(content) };
}

type Messages = Extract<TranscriptLine, { messages: unknown }>["messages"];

function answer(content: unknown): Messages {
  if (typeof content === "string") return saidBy("assistant", content);
  const parts = objectsIn(content).flatMap((block) => {
    if (block.type === "text") return [{ type: "text" as const, text: textIn(block.text) }];
    if (block.type !== "tool_use") return [];
    return [calledTool(textIn(block.id), textIn(block.name), block.input ?? {})];
  });
  return parts.length === 0 ? [] : [{ role: "assistant", content: parts }];
}

function question(content: unknown): Messages {
  const blocks = objectsIn(content);
  const results = blocks
    .filter(({ type }) => type === "tool_result")
    .map((block) =>
      toolAnswered(textIn(block.tool_use_id), "tool", plainText(block.content), block.is_error === true),
    );
  const said =
    typeof content === "string" ? content : plainText(blocks.filter(({ type }) => type === "text"));
  return [...results, ...(isOfTheHost(said) ? [] : saidBy("user", said))];
}

/** Slash commands, their output and reminders stand in the user's place. */
function isOfTheHost(text: string): boolean {
  return /^\s*(?:<(?:command-|local-command-|system-reminder|bash-)|Caveat:)/.test(text);
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ text }) => textIn(text))
    .join("\n");
}
