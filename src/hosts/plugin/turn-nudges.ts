import { afterTurn, type NudgePolicy, newNudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import type { Session } from "../../sessions/session.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";

/** The hints for one conversation inside a host. Like those of an agent, they are forgotten when the process ends. */
export class TurnNudges {
  readonly #policy: NudgePolicy;
  #facts = newNudgeFacts();
  #turn: { wrote: boolean; compacted: boolean } | undefined;
  #text = "";

  constructor(policy: NudgePolicy = noNudges) {
    this.#policy = policy;
  }

  /** The hint of the current turn, or "". */
  get text(): string {
    return this.#text;
  }

  /** The agent wrote to its memory. */
  noteWriting(): void {
    if (this.#turn) this.#turn.wrote = true;
  }

  noteCompaction(): void {
    if (this.#turn) this.#turn.compacted = true;
    else this.#facts.compacted = true;
  }

  /** A user message begins a turn. `lastText` is what the agent answered in the one before. */
  async beginTurn(session: Session, lastText: string): Promise<string> {
    if (this.#turn) this.#facts = afterTurn(this.#facts, { ...this.#turn, text: lastText });
    this.#turn = { wrote: false, compacted: false };
    const isEmpty = isMemoryEmpty(await session.state());
    const planned = planNudge({ ...this.#facts, isEmpty }, this.#policy);
    if (planned) this.#facts.given = planned.given;
    this.#text = planned?.text ?? "";
    return this.#text;
  }
}
