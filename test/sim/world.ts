import assert from "node:assert/strict";
import { assertNothingLost } from "../../src/agent/test-support/journal.ts";
import { openMemory } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";
import { seededRandom } from "../support/random.ts";
import { AgentActor } from "./agent-actor.ts";
import { Facts } from "./facts.ts";
import { HostActor } from "./host-actor.ts";

/** One simulated world: a store, a clock, agents, hosts and a person, all driven by one seed. */
export class World {
  readonly store: Store = memoryStore();
  readonly facts = new Facts();
  readonly random: (limit: number) => number;
  /** Every violation; the first one matters. */
  readonly problems: unknown[] = [];
  readonly counts = { kills: 0, compactions: 0, facts: 0 };
  #now = Date.UTC(2026, 0, 1);

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** Runs, stands still, and jumps in both directions. */
  clock = (): number => {
    const dice = this.random(50);
    if (dice === 0) this.#now += 10 * 365 * 86_400_000;
    else if (dice === 1) this.#now -= 20 * 365 * 86_400_000;
    else if (dice > 10) this.#now += dice;
    return this.#now;
  };

  observe(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.problems.push(error);
    }
  }

  /** A person adds a line, through a handle of their own. */
  async personWrites(sessionId: string): Promise<void> {
    const memory = await openMemory({ store: this.store, clock: this.clock });
    const fact = this.facts.invent(sessionId);
    await (await memory.openSession(sessionId)).notepad.append(fact, { actor: { kind: "person" } });
    this.facts.acknowledge(sessionId, fact);
  }

  /** Agents and a host live side by side; most of their processes are killed. */
  async randomLife(): Promise<void> {
    const agents = [new AgentActor(this, "a1"), new AgentActor(this, "a2")];
    const host = new HostActor(this, "h1");
    for (let generation = 0; generation < 3; generation++) {
      const left = () => (this.random(4) === 0 ? Number.POSITIVE_INFINITY : 15 + this.random(200));
      const acts = <Action>(choices: readonly Action[]) =>
        Array.from({ length: 3 }, () => choices[this.random(choices.length)] as Action);
      const died = await Promise.all([
        ...agents.map((agent) => agent.live(left(), acts(["send", "send", "compact", "resume"]))),
        host.live(left(), acts(["turn", "turn", "compact"])),
      ]);
      this.counts.kills += died.filter(Boolean).length;
    }
    await this.#finish(agents, [host]);
  }

  /** A fixed conversation with a compaction at one boundary. */
  async compactionAt(boundary: number): Promise<void> {
    const [agent, host] = [new AgentActor(this, "a1"), new HostActor(this, "h1")];
    for (let step = 0; step < 5; step++) {
      await agent.live(Number.POSITIVE_INFINITY, step === boundary ? ["send", "compact", "send"] : ["send"]);
      await host.live(Number.POSITIVE_INFINITY, step === boundary ? ["turn", "compact", "turn"] : ["turn"]);
    }
    await this.#finish([agent], [host]);
  }

  /** A conversation with a compaction, killed at one call to the store; false once that call is never reached. */
  async killAt(callsLeft: number): Promise<boolean> {
    const [agent, host] = [new AgentActor(this, "a1"), new HostActor(this, "h1")];
    await agent.live(Number.POSITIVE_INFINITY, ["send", "send"]);
    await host.live(Number.POSITIVE_INFINITY, ["turn"]);
    const died = [
      await agent.live(callsLeft, ["send", "compact", "send"]),
      await host.live(callsLeft, ["turn", "compact", "turn"]),
    ];
    this.counts.kills += died.filter(Boolean).length;
    await agent.live(Number.POSITIVE_INFINITY, ["resume"]);
    await this.#finish([agent], [host]);
    return died.includes(true);
  }

  /** Whatever happened, everyone goes on, and the journals account for every message. */
  async #finish(agents: readonly AgentActor[], hosts: readonly HostActor[]): Promise<void> {
    for (const agent of agents) await agent.live(Number.POSITIVE_INFINITY, ["send", "compact", "send"]);
    for (const host of hosts) await host.live(Number.POSITIVE_INFINITY, ["turn", "compact", "turn"]);
    const memory = await openMemory({ store: this.store, clock: this.clock });
    for (const { session: id } of [...agents, ...hosts]) {
      const session = await memory.resumeSession(id);
      this.counts.facts += this.facts.of(id).length;
      this.counts.compactions += (await session.receipts()).length;
      const entries = await session.history({ newestFirst: false });
      assert.deepEqual(
        entries.map(({ revision }) => revision),
        entries.map((_, index) => index + 1),
        `the journal of ${id} is in order, without gaps`,
      );
      this.facts.check(id, await session.notepad.read());
    }
    for (const { session: id } of agents) await assertNothingLost(await memory.resumeSession(id));
    if (this.problems.length > 0) throw this.problems[0];
  }
}
