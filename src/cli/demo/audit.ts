import { setTimeout as pass } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool } from "ai";
import { z } from "zod";
import { createAgent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { Memory, NewSessionOptions } from "../../sessions/memory.ts";
import { startScriptedServer } from "../../testing/scripted-server.ts";
import { ask, auditScript, sheetText } from "./workbook.ts";

/** Too small for ten sheets. */
export const contextWindow = 4_100;

export interface AuditOptions {
  session: NewSessionOptions;
  /** Milliseconds before an answer of the scripted model, by its number, from 1. */
  thinking?: (answer: number) => number | Promise<number>;
  signal?: AbortSignal;
  /** Called for each event, one after the other; the agent does not wait. */
  onEvent?: (event: AgentEvent) => void | Promise<void>;
}

/** The outcome of an audit. */
export interface Audit {
  notepad: string;
  /** The last messages sent to the model, without the system prompt and the copies of the notepad. */
  conversation: string;
  compactions: number;
}

/** Runs a real agent with a scripted model that audits the workbook. */
export async function runAudit(memory: Memory, options: AuditOptions): Promise<Audit> {
  const { thinking, signal, onEvent } = options;
  const script = auditScript();
  let answers = 0;
  const server = await startScriptedServer(async (request) => {
    answers++;
    if (thinking) await pass(await thinking(answers), undefined, signal ? { signal } : {});
    return script(request);
  });
  try {
    const session = await memory.createSession(options.session);
    const agent = createAgent({
      memory,
      model: createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true })(
        "scripted",
      ),
      tools: {
        read_sheet: tool({
          description: "Read one sheet of the workbook.",
          inputSchema: z.strictObject({ name: z.string() }),
          execute: ({ name }) => sheetText(name),
        }),
      },
      surfaces: ["notepad", "results", "recall"],
      system: "You audit workbooks.",
      contextWindow,
      keep: 0.1,
      outputReserve: 150,
    });
    for await (const event of agent.send(session.id, ask, signal ? { signal } : {})) await onEvent?.(event);
    signal?.throwIfAborted();
    const seen = server.requests.at(-1)?.messages.filter(({ role }) => role !== "system");
    const notepad = await session.notepad.read();
    return {
      notepad,
      conversation: JSON.stringify(seen).replaceAll(JSON.stringify(notepad).slice(1, -1), ""),
      compactions: (await agent.receipts(session.id)).length,
    };
  } finally {
    await server.close();
  }
}
