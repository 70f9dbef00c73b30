import { from } from "./requirement.ts";

export const adapters = [
  ...from("integration", {
    "adapters.repeated-calls": "A tool call with an id that is handled twice changes memory once.",
    "aisdk.compaction":
      "A ToolLoopAgent and a streamText call go through warning, handoff, compaction and receipt and lose nothing.",
    "aisdk.overflow": "A prompt that the provider rejects as too long is compacted and resent.",
    "aisdk.abort": "An abort during a warning turn ends the call without compacting.",
    "aisdk.epoch": "Within an epoch the prompt's prefix stays byte-identical; memory changes are appended.",
    "aisdk.message":
      "Message placement orders steer, scratchpad and user message, and persists nothing it injects.",
    "aisdk.system":
      "System placement ends the system prompt with the current notepad and leaves marked instructions unchanged.",
    "aisdk.fresh-prompts": "A prompt without its history still includes every change of the epoch.",
    "aisdk.untouched":
      "Injected content never reaches the caller's messages, the response messages or UI messages.",
    "aisdk.long-chat":
      "In 200 calls with several compactions every request is valid, fits, has the newest notepad, and each compaction is warned once.",
    "aisdk.alignment": "The caller's messages are recognised however they are passed and converted.",
    "aisdk.restart": "Another process that receives the whole history continues from the summary.",
    "aisdk.tools":
      "Memory's tools run in the AI SDK, return outputs to programs and texts to the model, and reject names already in use.",
    "aisdk.tasks": "A task collapses to one line in the prompt, and the question before it stays.",
    "aisdk.clearing": "Stubs replace old, long results in the prompt only.",
    "aisdk.parts": "The model, the tools and prepareStep of holdfast() can be passed apart.",
    "aisdk.failure": "A memory failure never stops the agent and is never silent.",
    "langchain.compaction":
      "A createAgent agent goes through warning, handoff, compaction and receipt; the graph's checkpointed messages stay whole, and a new process continues the thread.",
    "langchain.tools":
      "Memory's tools run in a createAgent agent; each thread has its own session, and errors reach the model.",
    "langchain.overflow": "A prompt that a LangChain model rejects as too long is compacted and resent.",
    "langchain.failure": "A memory failure never stops a createAgent agent and is never silent.",
    "mastra.processor":
      "A Mastra processor places memory in each request and compacts; Mastra's own messages stay whole, and its tools run.",
    "mastra.history":
      "With the guide's options a conversation of a Mastra agent goes on from one generate to the next, in a new process too, and no message is dropped unseen.",
    "mastra.failure": "A memory failure never stops a Mastra agent and is never silent.",
    "openai.chat": "Tools and tool results work with the real client for chat completions.",
    "openai.responses": "Tools and tool results work with the real client for the Responses API.",
    "openai.agents-compaction":
      "A run of the OpenAI Agents SDK, streamed or not, goes through warning, handoff, compaction and receipt; its history stays whole, and a new process continues it.",
    "openai.agents-tools": "Memory's tools run in the OpenAI Agents SDK, and errors reach the model.",
    "openai.agents-overflow":
      "A request of the OpenAI Agents SDK that is rejected as too long is compacted and resent.",
    "openai.agents-failure":
      "A memory failure never stops a run of the OpenAI Agents SDK and is never silent.",
    "anthropic.messages": "Tools and tool results work with the real client for the Messages API.",
    "claude.sdk-hooks":
      "Hooks of the Claude Agent SDK in the process show the memory once, then changes by others.",
    "claude.sdk-tools":
      "Memory's tools answer over the Claude Agent SDK's transport, once per call of the model.",
    "claude.sdk-failure":
      "A memory failure never stops an agent of the Claude Agent SDK and is never silent.",
    "tools.projections": "The same call through every projection gives the same answer and the same memory.",
  }),
];
