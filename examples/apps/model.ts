import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "holdfast/testing";

export interface ChosenModel {
  model: LanguageModel;
  /** For clients that are given an address. */
  url: string;
  name: string;
  close(): Promise<void>;
}

/**
 * A scripted model, or the real one that MODEL names: `MODEL=http://127.0.0.1:11434/v1#qwen3`, the address of any server
 * with OpenAI's API and the model's name. A key is taken from OPENAI_API_KEY.
 */
export async function chooseModel(
  script: (request: ScriptedRequest, number: number) => ScriptedAnswer,
): Promise<ChosenModel> {
  const [url, name = ""] = (process.env.MODEL ?? "").split("#");
  const scripted = url ? undefined : await startScriptedServer(script);
  const address = scripted?.url ?? url ?? "";
  const apiKey = process.env.OPENAI_API_KEY;
  const provider = createOpenAICompatible({
    name: "example",
    baseURL: address,
    includeUsage: true,
    ...(apiKey ? { apiKey } : {}),
  });
  return {
    model: provider(name || "scripted"),
    url: address,
    name: name || "scripted",
    close: async () => scripted?.close(),
  };
}

/** All text of a request, as the model reads it. */
export function textOf({ messages }: ScriptedRequest): string {
  return messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");
}
