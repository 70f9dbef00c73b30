import { findLacks } from "../compaction/receipt.ts";
import { textsIn } from "../context/conversation.ts";
import { readEpoch, readSummarySpan } from "../engine/conversation.ts";
import type { Receipt } from "../engine/records.ts";
import type { Session } from "../sessions/session.ts";
import type { AgentEvent } from "./events.ts";

/** The request of a call as it was sent. */
export interface SentRequest {
  /** The call's number in the ledger (default: among the calls of this process). */
  call: number | undefined;
  /** The request's body if the provider reports it, or else the prompt as the model received it. */
  body: unknown;
}

/** Checks the receipt of the last compaction against the first request after it, once. */
export class ReceiptCheck {
  readonly #session: Session;
  /** The last epoch whose receipt is known to be checked, or to need no check. */
  #checked = 0;
  /** Calls of this process. */
  #calls = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Stores the result with the receipt, and emits a mismatch as an error. Throws only if the store fails. */
  async check(sent: SentRequest, emit: (event: AgentEvent) => void): Promise<void> {
    this.#calls++;
    const state = await this.#session.state();
    const epoch = readEpoch(state).number - 1;
    if (epoch <= this.#checked) return;
    const [record] = await this.#session.records("receipt", [String(epoch)]);
    const replacement = readSummarySpan(state)?.text;
    this.#checked = epoch;
    if (!record || replacement === undefined || isChecked(record.value)) return;
    const lacks = findLacks(replacement, sentText(sent.body));
    const { call = this.#calls } = sent;
    await this.#session.apply({ type: "context.verify", epoch, call, lacks }, { actor: { kind: "system" } });
    if (lacks.length > 0)
      emit({
        type: "error",
        message: `The request of call ${call} does not contain what the receipt of compaction ${epoch} says. It lacks: ${lacks.join("; ")}. Something between the agent and the provider changes prompts: check middleware and proxies.`,
      });
  }
}

function isChecked({ verified, mismatch }: Receipt): boolean {
  return verified !== undefined || mismatch !== undefined;
}

/** All text in a request, without the escapes of its JSON; the input of a call is JSON inside of it. */
function sentText(body: unknown): string {
  const texts = textsIn(typeof body === "string" ? parse(body) : body);
  return texts.flatMap((text) => [text, ...(isJson(text) ? textsIn(parse(text)) : [])]).join("\n");
}

function isJson(text: string): boolean {
  return /^[{[]/.test(text) && /[}\]]$/.test(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
