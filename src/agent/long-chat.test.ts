import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage, tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  isInWarningTurn,
  isSummaryRequest,
  isWarning,
  plainSummary,
  tokensOf,
} from "../../test/support/agent.ts";
import { tickingClock } from "../../test/support/memory.ts";
import { assertValidPrompt } from "../../test/support/prompt.ts";
import { seededRandom } from "../../test/support/random.ts";
import { holdfast } from "../adapters/ai-sdk/index.ts";
import { warningText } from "../compaction/warning.ts";
import { openMemory, type Session } from "../index.ts";
import type { ScriptedRequest } from "../testing/index.ts";
import { createAgent, type Placement } from "./index.ts";
import { type MockAnswer, mockModel } from "./test-support/mock-model.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";
import { textIn } from "./test-support/window.ts";

/** A model that reads random amounts, takes notes and answers, and that checks every request. */
class Chat {
  readonly #session: Session;
  readonly #window: number;
  readonly #placement: Placement;
  readonly #random: (limit: number) => number;
  readonly #problems: unknown[] = [];
  #warnings = 0;
  #notes = 0;

  constructor(session: Session, { window, placement }: { window: number; placement: Placement }) {
    this.#session = session;
    this.#window = window;
    this.#placement = placement;
    this.#random = seededRandom(window);
  }

  readonly model = mockModel(async (request) => {
    await this.#check(request).catch((error) => this.#problems.push(error));
    return this.#answer(request);
  });

  readonly tools = {
    read: tool({
      inputSchema: z.object({ tokens: z.number() }),
      execute: async ({ tokens }) => `src/file${tokens}.ts\n${filler(tokens)}.`,
    }),
  };

  async #check(request: ScriptedRequest): Promise<void> {
    assertValidPrompt(request);
    const roles = request.messages.map(({ role }) => role);
    assert.equal(roles[1], "user", "the conversation begins with the user");
    for (const [index, role] of roles.entries())
      assert.ok(role !== "assistant" || roles[index - 1] !== "assistant", `two answers in a row at ${index}`);
    const size = tokensOf(request);
    assert.ok(size <= this.#window, `${size} of ${this.#window} tokens`);
    if (isWarning(request)) assert.equal(request.messages.at(-1)?.content, warningText, "a turn of its own");
    if (!isSummaryRequest(request)) this.#checkNotepad(request, await this.#session.notepad.read());
  }

  /** The newest notepad is in the request, whole or visibly cut. */
  #checkNotepad(request: ScriptedRequest, notepad: string): void {
    const text = textIn(request);
    if (text.includes("[Not shown here: ")) return;
    if (this.#placement === "epoch") assert.equal(readNotepadIn(request), notepad);
    else if (notepad === "") assert.match(text, /## Session Notepad\n\(empty — use write_notepad/);
    else assert.ok(text.includes(`## Session Notepad\n${notepad}`), "the whole notepad");
    if (notepad !== "") assert.doesNotMatch(text, /\(empty — use write_notepad/);
  }

  #answer(request: ScriptedRequest): MockAnswer {
    if (isSummaryRequest(request)) return { text: plainSummary(request).slice(0, 600) };
    const dice = this.#random(100);
    const note = append(`- finding ${++this.#notes}: ${filler(this.#random(20))}`);
    if (isWarning(request)) this.#warnings++;
    if (isInWarningTurn(request))
      return dice < 50 ? { toolCalls: [note] } : { text: "Notepad is up to date." };
    if (dice < 3)
      return { toolCalls: [call("write_notepad", { content: `- all findings up to ${this.#notes}` })] };
    if (dice < 15) return { toolCalls: [note] };
    if (dice < 35) return { toolCalls: [call("read", { tokens: this.#random(this.#window / 3) })] };
    if (dice < 40)
      return {
        toolCalls: [
          call("read", { tokens: this.#random(this.#window) }),
          note,
          call("read", { tokens: this.#random(this.#window / 10) }),
        ],
      };
    return { text: `Answer. ${filler(this.#random(150))}` };
  }

  question(number: number): string {
    return `Question ${number}. ${filler(this.#random(5) === 0 ? this.#random(this.#window / 6) : 20)}`;
  }

  async checkCompactions(): Promise<void> {
    if (this.#problems.length > 0) throw this.#problems[0];
    const receipts = await this.#session.receipts();
    assert.ok(receipts.length >= 5, `${receipts.length} compactions`);
    assert.ok(receipts.every(({ warning }) => warning === "given"));
    assert.equal(this.#warnings, receipts.length, "one warning for each compaction");
  }
}

const chats: [window: number, placement: Placement][] = [
  [8_000, "epoch"],
  [16_000, "epoch"],
  [32_000, "epoch"],
  [16_000, "system"],
  [16_000, "message"],
];

for (const [window, placement] of chats) {
  test(`200 turns in ${window / 1_000}k keep every rule of a request (${placement}) [controller.long-chat]`, async () => {
    const memory = await openMemory({ store: "memory:", clock: tickingClock() });
    const chat = new Chat(await memory.openSession("s"), { window, placement });
    const { model, tools } = chat;
    const agent = createAgent({ memory, model, tools, placement, contextWindow: window, system: "Careful." });
    for (let turn = 1; turn <= 200; turn++) await agent.send("s", chat.question(turn)).result;
    await chat.checkCompactions();
    await memory.close();
  });

  test(`200 calls of the AI SDK in ${window / 1_000}k keep every rule of a request (${placement}) [aisdk.long-chat]`, async () => {
    const memory = await openMemory({ store: "memory:", clock: tickingClock() });
    const session = await memory.openSession("s");
    const chat = new Chat(session, { window, placement });
    const { model, tools } = chat;
    const settings = holdfast({ session, model, tools, placement, contextWindow: window });
    const messages: ModelMessage[] = [];
    for (let turn = 1; turn <= 200; turn++) {
      messages.push({ role: "user", content: chat.question(turn) });
      const stopWhen = isStepCount(50);
      const result = await generateText({ ...settings, instructions: "Careful.", messages, stopWhen });
      messages.push(...(await result.responseMessages));
    }
    await chat.checkCompactions();
    await memory.close();
  });
}
