import { join } from "node:path";
import { type ModelMessage, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "../src/agent/agent.ts";
import { memoryToolSet } from "../src/agent/tools.ts";
import { type Memory, openMemory } from "../src/index.ts";
import { findSurfaces } from "../src/surfaces/surfaces.ts";
import { type Figure, median, time } from "./measure.ts";

/**
 * Holdfast's overhead per turn: a turn with an instant model minus the same model call alone. Disk flush times vary
 * tenfold, so the target excludes them and the detail shows them.
 */
export async function turnFigures(directory: string): Promise<Figure[]> {
  const memory = await openMemory({ store: `sqlite:${join(directory, "turn.db")}?synchronous=normal` });
  // An agent's process is long-lived, so exclude the first turns, while V8 still compiles.
  await measure(memory, "warm-up", 0);
  const short = await measure(memory, "short", 0);
  const long = await measure(memory, "long", 20_000);
  await memory.close();
  const durable = await openMemory({ store: join(directory, "turn-durable.db") });
  const flushed = await measure(durable, "durable", 0);
  await durable.close();
  return [
    {
      name: "Holdfast's overhead per turn, 200 messages in context",
      value: short.overhead,
      target: 2,
      limit: "max",
      unit: "ms",
      detail: `turn ${short.turn.toFixed(2)} ms, model call alone ${short.call.toFixed(2)} ms; overhead with every commit flushed to disk ${flushed.overhead.toFixed(2)} ms`,
    },
    {
      name: "the same after 20,000 compacted messages / without",
      value: long.overhead / short.overhead,
      target: 1.5,
      limit: "max",
      unit: "×",
      detail: `${long.overhead.toFixed(2)} ms / ${short.overhead.toFixed(2)} ms`,
    },
  ];
}

async function measure(
  memory: Memory,
  id: string,
  earlier: number,
): Promise<{ turn: number; call: number; overhead: number }> {
  const model = instantModel();
  const surfaces = ["notepad", "notes", "tasks", "results", "sessions"] as const;
  const agent = createAgent({ memory, model, surfaces, contextWindow: 10_000_000, keep: 0.0005 });
  const session = await memory.createSession({ id });
  const add = (count: number) =>
    session.apply({
      type: "messages.add",
      messages: Array.from({ length: count }, (_, index) => stored(index)),
    });
  for (let done = 0; done < earlier; done += 1_000) await add(1_000);
  if (earlier > 0) await agent.compact(id).result;
  const kept = (await session.messages()).length - earlier;
  await add(200 - Math.max(0, kept));
  const tools = memoryToolSet(findSurfaces(surfaces).flatMap((surface) => surface.tools));
  const alone = Array.from({ length: 200 }, (_, index) => stored(index).message as ModelMessage);
  const turns: number[] = [];
  const calls: number[] = [];
  for (let round = 0; round < 60; round++) {
    turns.push(await time(() => agent.send(id, `turn ${round}`).result));
    calls.push(await time(() => streamText({ model, instructions: "base", messages: alone, tools }).text));
  }
  const [turn, call] = [median(turns.slice(10)), median(calls.slice(10))];
  return { turn, call, overhead: turn - call };
}

function stored(number: number) {
  return {
    message: {
      role: number % 2 === 0 ? "user" : "assistant",
      content: `message ${number} ${"words and more ".repeat(20)}`,
    },
    at: 0,
  };
}

function instantModel(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
  const finishReason = { unified: "stop" as const, raw: undefined };
  return new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: "text", text: "A summary of words and more." }],
      finishReason,
      usage,
      warnings: [],
    }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "text-start", id: "1" });
          controller.enqueue({ type: "text-delta", id: "1", delta: "done" });
          controller.enqueue({ type: "text-end", id: "1" });
          controller.enqueue({ type: "finish", finishReason, usage });
          controller.close();
        },
      }),
    }),
  });
}
