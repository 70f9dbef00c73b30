import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, type ModelMessage, pruneMessages, tool } from "ai";
import type { System } from "../survival/system.ts";

/**
 * As in the AI SDK's documentation of pruneMessages: in prepareStep, reasoning and older tool calls are removed. It has
 * no summary, so the texts of the conversation stay until the window is full.
 */
export const system: System = {
  name: "AI SDK pruneMessages",
  package: "ai",
  configuration:
    "in prepareStep: reasoning all, tool calls before the last 6 messages, empty messages removed",
  durability: "none: the messages are the application's",
  isDurable: false,
  summarises: false,
  async open({ url, tools, instructions }) {
    const model = createOpenAICompatible({ name: "scripted", baseURL: url })("scripted");
    const toolSet = Object.fromEntries(
      tools.map(({ name, description, parameters, execute }) => [
        name,
        tool({
          description,
          inputSchema: jsonSchema<Record<string, string>>(parameters),
          execute: async (input) => execute(input),
        }),
      ]),
    );
    const messages: ModelMessage[] = [];
    return {
      async send(text) {
        messages.push({ role: "user", content: text });
        // `response.messages` would be those of the last step only.
        const { responseMessages } = await generateText({
          model,
          instructions,
          messages,
          tools: toolSet,
          maxRetries: 0,
          stopWhen: isStepCount(500),
          prepareStep: ({ messages: before }) => ({
            messages: pruneMessages({
              messages: before,
              reasoning: "all",
              toolCalls: "before-last-6-messages",
              emptyMessages: "remove",
            }),
          }),
        });
        messages.push(...responseMessages);
      },
      close: async () => {},
    };
  },
};
