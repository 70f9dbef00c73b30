import { tool } from "ai";
import { z } from "zod";
import { createAgent, type Turn } from "../../src/agent/index.ts";
import { type MockAnswer, mockModel } from "../../src/agent/test-support/mock-model.ts";
import { mortalStore } from "../../src/agent/test-support/mortal-store.ts";
import { readNotepadIn } from "../../src/agent/test-support/notepad-reader.ts";
import { openMemory } from "../../src/index.ts";
import type { ScriptedRequest } from "../../src/testing/index.ts";
import { append, call, filler, isInWarningTurn, isSummaryRequest, plainSummary } from "../support/agent.ts";
import { assertValidPrompt } from "../support/prompt.ts";
import type { World } from "./world.ts";

/** An agent with a scripted model, in a process that may be killed at any call to the store. */
export class AgentActor {
  readonly session: string;
  readonly #world: World;
  /** The model's calls that wrote a fact, until it has seen the answer. */
  readonly #written = new Map<string, string>();
  #calls = 0;

  constructor(world: World, session: string) {
    this.#world = world;
    this.session = session;
  }

  /** Takes actions in one process, which dies after `callsLeft` calls to the store; true if it died. */
  async live(callsLeft: number, actions: readonly ("send" | "compact" | "resume")[]): Promise<boolean> {
    const { random, store: inner, clock } = this.#world;
    const { store, died } = mortalStore(inner, callsLeft, random(2) === 0);
    const agent = createAgent({
      memory: await openMemory({ store, clock }),
      model: mockModel((request) => this.#answer(request)),
      tools: {
        read: tool({
          inputSchema: z.object({ words: z.number() }),
          execute: async ({ words }) => `src/file${words}.ts ${filler(words)}`,
        }),
      },
      surfaces: ["notepad", "results"],
      contextWindow: 4_000,
      maxSteps: 8,
      clearing: false,
    });
    for (const action of actions) {
      const turn: Turn =
        action === "compact"
          ? agent.compact(this.session)
          : action === "resume"
            ? agent.resume(this.session)
            : agent.send(
                this.session,
                `Request ${++this.#calls}: go on. ${filler(random(3) === 0 ? 500 : 20)}`,
              );
      const end = turn.result.then(
        () => false,
        () => false,
      );
      if (await Promise.race([end, died.then(() => true)])) return true;
    }
    return false;
  }

  async #answer(request: ScriptedRequest): Promise<MockAnswer> {
    const { random, facts } = this.#world;
    if (isSummaryRequest(request)) return { text: plainSummary(request).slice(0, 500) };
    this.#world.observe(() => {
      this.#acknowledge(request);
      assertValidPrompt(request);
      facts.check(this.session, readNotepadIn(request));
    });
    // Someone else writes while the model thinks.
    if (random(6) === 0) await this.#world.personWrites(this.session);
    if (isInWarningTurn(request)) return random(2) === 0 ? this.#write() : { text: "Notepad is up to date." };
    const dice = random(10);
    if (dice < 4) return this.#write();
    if (dice < 7) return { toolCalls: [call("read", { words: 50 + random(500) })] };
    return { text: `Said. ${filler(random(60))}` };
  }

  #write(): MockAnswer {
    const fact = this.#world.facts.invent(this.session);
    const id = `call_${this.session}_${++this.#calls}`;
    this.#written.set(id, fact);
    return { toolCalls: [{ ...append(fact), id }] };
  }

  /** A fact counts from the moment the model sees that its call succeeded. */
  #acknowledge({ messages }: ScriptedRequest): void {
    for (const { role, tool_call_id = "", content } of messages) {
      const fact = role === "tool" ? this.#written.get(tool_call_id) : undefined;
      if (fact === undefined || !String(content).startsWith('{"ok":true')) continue;
      this.#written.delete(tool_call_id);
      this.#world.facts.acknowledge(this.session, fact);
    }
  }
}
