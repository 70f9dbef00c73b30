import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { emptyMessage, type Wire, type WireAnswer, type WireMessage } from "./wire.ts";

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args: unknown };
  functionResponse?: { id?: string; name: string; response: { content?: unknown } };
  inlineData?: { mimeType: string };
}

interface Body {
  systemInstruction?: { parts: Part[] };
  contents: { role: "user" | "model"; parts: Part[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
  generationConfig?: { temperature?: number; maxOutputTokens?: number };
}

/** Google's Gemini API. Its calls may have no id: results answer them in order, by name. */
export const google: Wire = {
  name: "google",
  model: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: "test" })("gemini-2.5-pro"),
  isStreamed: (path) => path.includes(":streamGenerateContent"),
  overflow: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: "The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
  },
  read(raw) {
    const { systemInstruction, contents, tools = [], generationConfig = {} } = raw as unknown as Body;
    return {
      system: (systemInstruction?.parts ?? []).map(({ text }) => text ?? "").join("\n\n"),
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      messages: contents.map(({ role, parts }) => readMessage(role === "user" ? "user" : "assistant", parts)),
      marks: [],
      cacheKey: undefined,
      temperature: generationConfig.temperature,
      maxOutputTokens: generationConfig.maxOutputTokens,
    };
  },
  whole: (answer) => responseOf(answer, partsOf(answer)),
  stream: (answer) => [{ data: responseOf(answer, partsOf(answer)) }],
};

function readMessage(role: WireMessage["role"], parts: Part[]): WireMessage {
  const message = emptyMessage(role);
  for (const part of parts) {
    if (part.thoughtSignature) message.thinking.push(part.thoughtSignature);
    if (part.functionCall)
      message.calls.push({
        id: part.functionCall.id ?? part.functionCall.name,
        name: part.functionCall.name,
        input: part.functionCall.args,
      });
    else if (part.functionResponse)
      message.results.push({
        id: part.functionResponse.id ?? part.functionResponse.name,
        text: String(part.functionResponse.response.content ?? ""),
      });
    else if (part.inlineData) message.media.push(part.inlineData.mimeType);
    else if (part.text !== undefined && !part.thought) message.texts.push(part.text);
  }
  return message;
}

/** The signature is on the first call, or on the text of an answer without one. */
function partsOf({ thinking, text, toolCalls = [] }: WireAnswer): Part[] {
  const signed = thinking ? { thoughtSignature: thinking.signature } : {};
  return [
    ...(thinking ? [{ text: thinking.text, thought: true }] : []),
    ...(text === undefined ? [] : [{ text, ...(toolCalls.length === 0 ? signed : {}) }]),
    ...toolCalls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      ...(index === 0 ? signed : {}),
    })),
  ];
}

function responseOf({ finish, usage = { input: 100, output: 10 } }: WireAnswer, parts: Part[]) {
  const { input, output, cacheRead = 0 } = usage;
  const finishReason = finish === "length" ? "MAX_TOKENS" : finish === "refusal" ? "SAFETY" : "STOP";
  return {
    candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cacheRead,
      totalTokenCount: input + output,
    },
  };
}
