import type { LanguageModelMiddleware, ModelMessage } from "ai";

export type GenerateResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;
type StreamResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type RecordMessage = (answer: ModelMessage) => Promise<void>;

/** Records a model's answer as the message that the caller will pass in with its next call. */
export async function recordAnswer(content: GenerateResult["content"], record: RecordMessage): Promise<void> {
  const parts: AnswerPart[] = [];
  for (const part of content) {
    if (part.type === "text" && part.text !== "") parts.push({ type: "text", text: part.text });
    else if (part.type === "tool-call") parts.push(callPart(part));
  }
  if (parts.length > 0) await record({ role: "assistant", content: parts });
}

type AnswerPart = Extract<
  Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number],
  { type: "text" | "tool-call" }
>;

function callPart(part: { toolCallId: string; toolName: string; input: string }): AnswerPart {
  const { toolCallId, toolName } = part;
  return { type: "tool-call", toolCallId, toolName, input: parseInput(part.input) };
}

function parseInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** Records a streamed answer before passing on its `finish` part, because the SDK runs the tools after that. */
export function recordStream(
  stream: StreamResult["stream"],
  {
    rename,
    record,
    onUsage,
  }: {
    /** Gives a call the name under which the tool was offered. */
    rename: (part: StreamPart) => StreamPart;
    record: RecordMessage;
    onUsage: (usage: GenerateResult["usage"]) => Promise<void>;
  },
): StreamResult["stream"] {
  const content = new Map<string, GenerateResult["content"][number]>();
  let isRecorded = false;
  const end = async () => {
    if (!isRecorded) await recordAnswer([...content.values()], record);
    isRecorded = true;
  };
  const pieces = new TransformStream<StreamPart, StreamPart>({
    async transform(original, controller) {
      const part = rename(original);
      if (part.type === "text-delta") {
        const known = content.get(part.id);
        content.set(part.id, {
          type: "text",
          text: `${known?.type === "text" ? known.text : ""}${part.delta}`,
        });
      } else if (part.type === "tool-call") content.set(part.toolCallId, part);
      else if (part.type === "finish") {
        await onUsage(part.usage);
        await end();
      }
      controller.enqueue(part);
    },
    flush: end,
  });
  return stream.pipeThrough(pieces);
}
