import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  isInWarningTurn,
  isSummaryRequest,
  plainSummary,
} from "../../test/support/agent.ts";
import { tickingClock } from "../../test/support/memory.ts";
import { assertValidPrompt } from "../../test/support/prompt.ts";
import { seededRandom } from "../../test/support/random.ts";
import { openMemory } from "../index.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Store } from "../stores/store.ts";
import type { Passage } from "../surfaces/recall/passages.ts";
import type { ScriptedRequest } from "../testing/index.ts";
import { type Agent, createAgent, type Turn } from "./index.ts";
import { assertNothingLost } from "./test-support/journal.ts";
import { type MockAnswer, mockModel } from "./test-support/mock-model.ts";
import { mortalStore } from "./test-support/mortal-store.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";

const surfaces = ["notepad", "tasks", "results", "recall"] as const;

/** One random run of a session: several processes, most of them killed, with a model that does anything. */
class Life {
  readonly inner: Store = memoryStore();
  readonly random: (limit: number) => number;
  readonly clock = tickingClock();
  /** Notes that the model knows were accepted, and user messages that the model has seen. */
  readonly acknowledged = new Set<string>();
  readonly problems: unknown[] = [];
  kills = 0;
  /** From now on the model only answers. */
  isCalm = false;
  #number = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  async run(): Promise<void> {
    for (let process = 0; process < 4; process++) await this.#process(this.random(4) === 0);
    this.isCalm = true;
    const { agent } = await this.#agent(Number.POSITIVE_INFINITY);
    assert.equal(
      (await agent.send("s", "Are you still there?").result).text,
      "Yes.",
      "whatever happened, the session continues",
    );
  }

  async #agent(callsLeft: number): Promise<{ agent: Agent; died: Promise<void> }> {
    const { store, died } = mortalStore(this.inner, callsLeft, this.random(2) === 0);
    const memory = await openMemory({ store, clock: this.clock });
    const agent = createAgent({
      memory,
      model: mockModel((request) => this.#answer(request)),
      tools: {
        read: tool({
          inputSchema: z.object({ words: z.number() }),
          // Some are longer than a page of recall but still take few tokens.
          execute: async ({ words }) =>
            `src/file${words}.ts ${filler(words)}${words % 5 === 0 ? "=".repeat(13_000) : ""}.`,
        }),
      },
      surfaces: [...surfaces],
      contextWindow: 4_000,
      maxSteps: 8,
      ...(this.random(2) === 0
        ? { clearing: false as const }
        : { clearing: { largeTokens: 300, keepLast: 1 } }),
    });
    return { agent, died };
  }

  /** A process takes a few actions; most processes die in between. */
  async #process(isImmortal: boolean): Promise<void> {
    const { agent, died } = await this.#agent(isImmortal ? Number.POSITIVE_INFINITY : 20 + this.random(250));
    const finish = (turn: Turn) =>
      Promise.race([
        turn.result.then(
          () => false,
          () => false,
        ),
        died.then(() => true),
      ]);
    for (let action = 0; action < 4; action++) {
      const choice = this.random(10);
      if (choice === 0) await this.#personEdits();
      const turn =
        choice === 1
          ? agent.compact("s")
          : choice === 2
            ? agent.resume("s")
            : agent.send("s", `U${++this.#number} ${filler(this.random(4) === 0 ? 900 : 30)}`);
      if (await finish(turn)) {
        this.kills++;
        return;
      }
    }
  }

  async #personEdits(): Promise<void> {
    const memory = await openMemory({ store: this.inner, clock: this.clock });
    await (await memory.openSession("s")).notepad.append(`P${++this.#number}`, { actor: { kind: "person" } });
  }

  async #answer(request: ScriptedRequest): Promise<MockAnswer> {
    const dice = this.random(100);
    try {
      assertValidPrompt(request);
      if (!isSummaryRequest(request)) await this.#look(request);
    } catch (error) {
      this.problems.push(error);
    }
    if (this.isCalm)
      return { text: isSummaryRequest(request) ? plainSummary(request).slice(0, 600) : "Yes." };
    if (dice < 5) return { fails: "overflow" };
    if (dice < 10) return { fails: "other" };
    if (isSummaryRequest(request))
      return {
        text:
          dice < 20
            ? ""
            : dice < 30
              ? "no idea"
              : dice < 35
                ? filler(3_000)
                : plainSummary(request).slice(0, 600),
      };
    const note = append(`N${++this.#number}`);
    if (isInWarningTurn(request))
      return dice < 50 ? { toolCalls: [note] } : { text: dice < 60 ? "" : "Notepad is up to date." };
    if (dice < 30) return { toolCalls: [call("read", { words: 50 + this.random(700) })] };
    if (dice < 45) return { toolCalls: [note, call("read", { words: 20 })] };
    if (dice < 52) return { toolCalls: [call("begin_task", { description: `T${this.#number}` })] };
    if (dice < 60)
      return {
        toolCalls: [
          this.random(2) === 0
            ? call("end_task", { summary: "done" })
            : call("cancel_task", { reason: "no" }),
        ],
      };
    if (dice < 63)
      return { toolCalls: [call("clear_result", { id: `call_${this.random(20)}`, summary: "seen" })] };
    if (dice < 66) return { toolCalls: [call("nonsense", {})] };
    return { text: dice < 68 ? "" : `Said. ${filler(this.random(120))}` };
  }

  /** The model's prompt must be correct. */
  async #look(request: ScriptedRequest): Promise<void> {
    const memory = await openMemory({ store: this.inner, clock: this.clock });
    const notepad = await (await memory.openSession("s")).notepad.read();
    assert.equal(readNotepadIn(request), notepad, "the model can reconstruct the whole notepad");
    for (const note of notepad.split("\n")) this.acknowledged.add(note);
    for (const [said = ""] of JSON.stringify(request.messages).matchAll(/U\d+ lorem/g))
      this.acknowledged.add(said);
  }
}

async function recallAll(
  session: Awaited<ReturnType<Awaited<ReturnType<typeof openMemory>>["openSession"]>>,
  message: number,
): Promise<string> {
  let whole = "";
  for (let from: string | undefined = `${message}.1`; from?.startsWith(`${message}.`); ) {
    const answer = await session.call("recall", { from });
    assert.ok(answer.ok, answer.text);
    const { passages, message: next } = answer.output as { passages: Passage[]; message: string };
    for (const passage of passages) if (passage.from.startsWith(`${message}.`)) whole += passage.text;
    from = /"from": "([\d.]+)"/.exec(next)?.[1];
  }
  return whole;
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const { text, output } = value as { text?: string; output?: { value?: string } };
  if (text !== undefined) return [text];
  if (output?.value !== undefined) return [output.value];
  return Array.isArray(value) ? value.flatMap(strings) : [];
}

test("in random runs with failures, overflows and kills, nothing leaves the context unaccounted for, and everything can be read back [controller.property]", async () => {
  let compactions = 0;
  let kills = 0;
  for (let seed = 1; seed <= 14; seed++) {
    const life = new Life(seed);
    await life.run();
    const run = `seed ${seed}`;
    if (life.problems.length > 0) throw new Error(run, { cause: life.problems[0] });
    const memory = await openMemory({ store: life.inner, surfaces: [...surfaces] });
    const session = await memory.openSession("s");
    compactions += await assertNothingLost(session);
    kills += life.kills;
    const messages = (await session.messages()) as { message: { content: unknown } }[];
    const removed = (await session.receipts()).at(-1)?.to ?? 0;
    for (const [index, { message }] of messages.slice(0, removed).entries()) {
      const recalled = await recallAll(session, index + 1);
      for (const text of strings(message.content))
        assert.ok(recalled.includes(text), `${run}: message ${index + 1} comes back in full`);
    }
    const kept = `${await session.notepad.read()}\n${JSON.stringify(messages)}`;
    for (const text of life.acknowledged)
      assert.ok(kept.includes(text), `${run}: ${text} was acknowledged and is gone`);
    const notes = (await session.notepad.read()).split("\n");
    assert.equal(new Set(notes).size, notes.length, `${run}: no note was written twice`);
  }
  assert.ok(compactions > 40, `${compactions} compactions`);
  assert.ok(kills > 30, `${kills} kills`);
});
