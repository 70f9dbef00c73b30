import type { LanguageModelMiddleware, ModelMessage } from "ai";
import type { Session } from "../sessions/session.ts";

type GenerateResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>;
type StreamResult = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapStream"]>>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type Hear = (answer: ModelMessage) => Promise<void>;

/** Passes on what a model answered, as the message that the caller will hand in with its next call. */
export async function hearAnswer(content: GenerateResult["content"], hear: Hear): Promise<void> {
  const parts: AnswerPart[] = [];
  for (const part of content) {
    if (part.type === "text" && part.text !== "") parts.push({ type: "text", text: part.text });
    else if (part.type === "tool-call") parts.push(callPart(part));
  }
  if (parts.length > 0) await hear({ role: "assistant", content: parts });
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

/** The same for an answer that comes in pieces: it is heard before the stream ends. */
export function hearStream(
  stream: StreamResult["stream"],
  session: Session,
  hear: Hear,
): StreamResult["stream"] {
  const content = new Map<string, GenerateResult["content"][number]>();
  const heard = Promise.withResolvers<void>();
  const waiting = waitingFor(session);
  const take = (part: StreamPart) => {
    if (part.type === "text-delta") {
      const known = content.get(part.id);
      const text = known?.type === "text" ? known.text : "";
      content.set(part.id, { type: "text", text: text + part.delta });
    } else if (part.type === "tool-call") {
      content.set(part.toolCallId, part);
      waiting.set(part.toolCallId, heard.promise);
    }
  };
  const end = () => {
    heard.resolve();
    for (const id of content.keys()) waiting.delete(id);
  };
  const reader = stream.getReader();
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          take(value);
          controller.enqueue(value);
          return;
        }
        await hearAnswer([...content.values()], hear);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}

const waitingSessions = new WeakMap<Session, Map<string, Promise<void>>>();

function waitingFor(session: Session): Map<string, Promise<void>> {
  let waiting = waitingSessions.get(session);
  if (!waiting) {
    waiting = new Map();
    waitingSessions.set(session, waiting);
  }
  return waiting;
}

/** Tools run while their message is still streaming; this waits until the message with the call is stored. */
export async function callIsHeard(session: Session, toolCallId: string): Promise<void> {
  await waitingFor(session).get(toolCallId);
}
