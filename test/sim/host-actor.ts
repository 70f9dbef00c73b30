import { mortalStore } from "../../src/agent/test-support/mortal-store.ts";
import type { StoredMessage } from "../../src/context/conversation.ts";
import { PluginConversation } from "../../src/hosts/plugin/conversation.ts";
import { openMemory, type Session } from "../../src/index.ts";
import { filler } from "../support/agent.ts";
import type { World } from "./world.ts";

/** A host that keeps its own conversation and compacts it, with our plugin inside. */
export class HostActor {
  readonly session: string;
  readonly #world: World;
  /** The conversation since its last compaction. The host keeps it through a crash. */
  #messages: StoredMessage[] = [];
  /** Facts that the model wrote in this conversation and sees in its own calls. */
  #calls: string[] = [];
  #conversation = new PluginConversation();
  #number = 0;

  constructor(world: World, session: string) {
    this.#world = world;
    this.session = session;
  }

  /** Takes actions in one process; true if it died. A new process shows the memory afresh. */
  async live(callsLeft: number, actions: readonly ("turn" | "compact")[]): Promise<boolean> {
    const { random, store: inner, clock } = this.#world;
    const { store, died } = mortalStore(inner, callsLeft, random(2) === 0);
    const dying = died.then(() => "died" as const);
    this.#restart();
    const work = async () => {
      const memory = await openMemory({ store, clock, surfaces: ["notepad"] });
      const session = await memory.openSession(this.session);
      for (const action of actions) {
        if (action === "turn") await this.#turn(session);
        else await this.#compact(session);
      }
    };
    return (await Promise.race([work(), dying])) === "died";
  }

  /** A host that restarts rebuilds the prompt from memory; its calls are still in its transcript. */
  #restart(): void {
    this.#conversation = new PluginConversation();
    this.#calls = [];
  }

  async #turn(session: Session): Promise<void> {
    const { random, facts } = this.#world;
    this.#say("user", `Request ${++this.#number}: go on. ${filler(random(80))}`);
    for (let step = 0; step < 1 + random(3); step++) {
      // Someone else writes before the request is made, or while the model thinks.
      if (random(5) === 0) await this.#world.personWrites(this.session);
      await this.#request(session);
      if (random(5) === 0) await this.#world.personWrites(this.session);
      const fact = facts.invent(this.session);
      const input = { operation: "append", content: fact };
      const answer = await this.#conversation.call(session, {
        id: crypto.randomUUID(),
        name: "update_notepad",
        input,
        readOnly: false,
        conversation: async () => undefined,
      });
      if (!answer.ok) continue;
      facts.acknowledge(this.session, fact);
      this.#calls.push(fact);
      this.#say("assistant", `I noted something. ${filler(random(40))}`);
    }
    await this.#request(session);
  }

  /** The next input of the model: the memory, its changes by others, and its own calls. */
  async #request(session: Session): Promise<void> {
    const { head, news } = await this.#conversation.texts(session);
    const text = [head, news, ...this.#calls].join("\n");
    this.#world.observe(() => this.#world.facts.check(this.session, text, false));
  }

  async #compact(session: Session): Promise<void> {
    const removed = this.#messages;
    if (removed.length === 0) return;
    await this.#conversation.beginCompaction({
      session,
      conversation: { messages: removed, to: removed.length },
      cwd: process.cwd(),
      readWith: "recall",
      report: (error) => this.#world.problems.push(error),
    });
    await this.#conversation.finishCompaction({ text: "The work went on.", by: "unknown" });
    // The host drops the messages; from here on only memory has the facts.
    this.#messages = [];
    this.#calls = [];
    await this.#request(session);
  }

  #say(role: "user" | "assistant", content: string): void {
    const number = this.#messages.length + 1;
    this.#messages.push({ number, message: { role, content }, at: 0 });
  }
}
