import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Script } from "../../../../test/support/agent.ts";
import type { ScriptedRequest } from "../../../testing/index.ts";
import { scriptedAnswer, scriptedRequest } from "../../test-support/scripted-request.ts";
import { toModelMessage } from "../messages.ts";

/** LangChain's own model class around a script. Keeps every request and the messages that it came with. */
export class ScriptedChatModel extends BaseChatModel {
  readonly requests: ScriptedRequest[] = [];
  readonly received: BaseMessage[][] = [];
  readonly #script: Script;

  constructor(script: Script) {
    super({ maxRetries: 0 });
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[]) {
    return this.withConfig({ tools: tools.map(nameOf) } as Record<string, unknown>);
  }

  override async _generate(messages: BaseMessage[], options: object): Promise<ChatResult> {
    const { tools = [] } = options as { tools?: string[] };
    const request = scriptedRequest(
      messages.map((message) => toModelMessage(message)),
      tools,
    );
    this.received.push(messages);
    const number = this.requests.push(request) - 1;
    const { text, calls, usage } = scriptedAnswer(await this.#script(request, number), request, number);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input as Record<string, unknown> })),
      usage_metadata: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    });
    return { generations: [{ text, message }] };
  }
}

function nameOf(tool: BindToolsInput): string {
  const { name, function: called } = tool as { name?: string; function?: { name: string } };
  return name ?? called?.name ?? "";
}
