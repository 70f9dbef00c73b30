import { from } from "./requirement.ts";

export const adapters = [
  ...from("integration", {
    "aisdk.compaction":
      "A ToolLoopAgent and a streamText call go through warning, checkpoint, compaction and receipt, and lose nothing.",
    "aisdk.overflow": "A prompt that the provider refuses as too long is compacted and sent again.",
    "aisdk.abort": "An abort during a warning turn ends the call; nothing is compacted.",
    "aisdk.epoch":
      "Within an epoch the prefix of the prompt stays byte for byte; changes of memory follow at the tail.",
    "aisdk.message":
      "In message placement the order is steer, scratchpad, user message, and none of it stays.",
    "aisdk.system":
      "In system placement the current notepad ends the system prompt; marked instructions stay as they are.",
    "aisdk.fresh-prompts": "A prompt without its history still comes with every change of the epoch.",
    "aisdk.untouched":
      "Nothing that is injected reaches the caller's messages, the response messages or UI messages.",
    "aisdk.alignment": "A caller's messages are known again however they are handed in and converted.",
    "aisdk.restart": "Another process that is handed the whole history goes on from the summary.",
    "aisdk.tools":
      "Memory's tools run in the AI SDK, give outputs to programs and texts to the model, and refuse taken names.",
    "aisdk.tasks": "A task collapses to one line in the prompt, and the question before it stays.",
    "aisdk.clearing": "Old, long results give way to stubs in the prompt only.",
    "aisdk.parts": "Tools, middleware and prepareStep work one by one; a missing part is told.",
    "aisdk.failure": "A failure of the memory never stops the agent, and is never silent.",
    "openai.chat": "Tools and their answers for chat completions, with the real client.",
    "openai.responses": "Tools and their answers for the responses API, with the real client.",
    "anthropic.messages": "Tools and their answers for the Messages API, with the real client.",
    "anthropic.memory-tool": "memory_20250818 works with the real client and with its tool runner.",
    "anthropic.memory-answers": "The memory tool's commands answer as Anthropic's own file system tool does.",
    "anthropic.memory-files":
      "Notepad, spaces and notes are files, other files are notes; whatever is written is read back.",
    "anthropic.memory-paths": "Paths that lead out of /memories are refused, however they are written.",
    "anthropic.memory-journal":
      "The memory tool's commands are journaled, budgeted, can be undone, and lose no concurrent edit.",
    "tools.projections": "The same call through every projection gives the same answer and the same memory.",
  }),
];
