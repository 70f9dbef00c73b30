import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  Usage,
} from "@openai/agents-core";
import type { ModelMessage } from "ai";
import type { Script } from "../../../../test/support/agent.ts";
import type { ScriptedRequest } from "../../../testing/index.ts";
import { scriptedAnswer, scriptedRequest } from "../../test-support/scripted-request.ts";
import { AgentItems, fromModelMessage } from "../items.ts";

/** A model of the OpenAI Agents SDK around a script. Keeps every request, in both forms. */
export class ScriptedAgentsModel implements Model {
  readonly requests: ScriptedRequest[] = [];
  readonly received: ModelRequest[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  async getResponse(given: ModelRequest): Promise<ModelResponse> {
    const { systemInstructions = "", input, tools } = given;
    const system: ModelMessage[] =
      systemInstructions === "" ? [] : [{ role: "system", content: systemInstructions }];
    const names = tools.map(({ name }) => name);
    const request = scriptedRequest([...system, ...new AgentItems().toModel(input)], names);
    this.received.push(given);
    const number = this.requests.push(request) - 1;
    const { text, calls, usage } = scriptedAnswer(await this.#script(request, number), request, number);
    const content = [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ id, name, input: args }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: args,
      })),
    ];
    const output = fromModelMessage({ role: "assistant", content });
    // Some models reason before they answer, and want their reasoning back.
    const reasoning = { type: "reasoning" as const, id: `rs_${number}`, content: [] };
    const counts = { inputTokens: usage.input, outputTokens: usage.output };
    return { output: [reasoning, ...output], usage: new Usage(counts), responseId: `resp_${number}` };
  }

  async *getStreamedResponse(given: ModelRequest): AsyncIterable<StreamEvent> {
    const { output, usage, responseId = "" } = await this.getResponse(given);
    const { inputTokens, outputTokens, totalTokens } = usage;
    yield { type: "response_started" };
    const response = { id: responseId, output, usage: { inputTokens, outputTokens, totalTokens } };
    yield { type: "response_done", response } as StreamEvent;
  }
}
