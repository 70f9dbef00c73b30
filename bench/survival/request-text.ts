import type { ScriptedRequest } from "../../src/testing/index.ts";

type Message = ScriptedRequest["messages"][number];

/** The whole text of a message to the model. */
export function textOf({ content, tool_calls = [] }: Message): string {
  const calls = tool_calls.map(({ function: { name, arguments: input } }) => `${name} ${input}`);
  return readable([contentText(content), ...calls].filter((part) => part !== "").join("\n"));
}

/** The whole context as the model reads it, without the tools' descriptions. */
export function contextOf({ messages }: ScriptedRequest): string {
  return messages.map(textOf).join("\n");
}

/** The whole prompt in the order in which a provider caches it: tools, then messages. */
export function promptOf({ tools = [], messages }: ScriptedRequest): string {
  return [JSON.stringify(tools), ...messages.map((message) => `${message.role}\n${textOf(message)}`)].join(
    "\n",
  );
}

/** Tokens, counted as four bytes each: the same rule for every system. */
export function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export function tokensOf(request: ScriptedRequest): number {
  return tokensIn(promptOf(request));
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? part.text
        : "",
    )
    .join("\n");
}

/** Calls and many results are JSON in a string; a model reads its quotes and line ends as such. */
function readable(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
