import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type ModelMessage, tool } from "ai";
import { z } from "zod";
import { filler, isSummaryRequest, modelAt, type Script } from "../../../../test/support/agent.ts";
import { openTestMemory } from "../../../../test/support/memory.ts";
import { assertValidPrompt } from "../../../../test/support/prompt.ts";
import type { AgentEvent } from "../../../agent/events.ts";
import { warningText } from "../../../compaction/warning.ts";
import type { MemoryOptions, Session } from "../../../index.ts";
import { type ScriptedRequest, type ScriptedServer, startScriptedServer } from "../../../testing/index.ts";
import { holdfast } from "../index.ts";

/** A caller's tool with results of a few hundred tokens. */
export const ownTools = {
  read_sheet: tool({
    description: "Reads a sheet of the workbook",
    inputSchema: z.object({ sheet: z.number() }),
    execute: async ({ sheet }) => sheetText(sheet),
  }),
};

export function sheetText(sheet: number): string {
  return `Sheet ${sheet} has the id SH-${1000 + sheet}. ${filler(400, `cell${sheet}`)}`;
}

export interface SdkStage {
  session: Session;
  server: ScriptedServer;
  events: AgentEvent[];
  /** The settings that `holdfast()` returns for this session, with the caller's tools and events. */
  settings(options?: Partial<Parameters<typeof holdfast>[0]>): ReturnType<typeof holdfast<typeof ownTools>>;
  /** Requests of the caller's own calls, without warnings and summaries. */
  calls(): ScriptedRequest[];
}

/** The real AI SDK, a scripted model over HTTP, and a session. Checks every sent prompt after the test. */
export async function openSdkStage(
  t: TestContext,
  script: Script,
  options: Partial<MemoryOptions> = {},
): Promise<SdkStage> {
  const server = await startScriptedServer(script);
  const surfaces = ["notepad", "notes", "tasks", "results", "recall"] as const;
  const memory = await openTestMemory({ surfaces, ...options });
  const session = await memory.openSession("s");
  const events: AgentEvent[] = [];
  t.after(async () => {
    await server.close();
    await memory.close();
    for (const request of server.requests) assertValidPrompt(request);
  });
  return {
    session,
    server,
    events,
    settings: (more = {}) =>
      holdfast({
        session,
        model: modelAt(server.url),
        contextWindow: 100_000,
        tools: ownTools,
        onEvent: (event) => events.push(event),
        ...more,
      }) as ReturnType<typeof holdfast<typeof ownTools>>,
    calls: () => server.requests.filter((request) => !isSummaryRequest(request) && !isWarningTurn(request)),
  };
}

/** A warning turn offers memory's tools only. */
export function isWarningTurn({ tools }: ScriptedRequest): boolean {
  return tools !== undefined && !tools.some(({ function: { name } }) => name === "read_sheet");
}

const injected = [
  "## Session Notepad",
  "[Session Scratchpad]",
  "[Notepad",
  "[Summary of",
  "[Checkpoint",
  "[Receipt",
  "[Context:",
  "[Hint:",
  "[Open tasks]",
  "[Result cleared",
  "<scratchpad_system>",
  warningText.slice(0, 40),
];

/** Asserts that the caller's values contain nothing that memory added to the prompt. */
export function assertUntouched(...held: unknown[]): void {
  const text = JSON.stringify(held);
  assert.ok(text.length > 50, "there is nothing to check");
  for (const marker of injected) assert.ok(!text.includes(marker), `${marker} reached the caller`);
}

/** Texts of the messages in a request, without the system prompt. */
export function saidIn({ messages }: ScriptedRequest): string[] {
  return messages.slice(1).map(({ content }) => String(content ?? ""));
}

export function user(content: string): ModelMessage {
  return { role: "user", content };
}

/** An answer of the SDK's mock model. */
export function mockAnswer(text: string) {
  return {
    content: [{ type: "text" as const, text }],
    finishReason: { unified: "stop" as const, raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
    warnings: [],
  };
}
