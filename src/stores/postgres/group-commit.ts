import type { QueryResultRow } from "pg";
import type { Statement } from "./lane.ts";
import { failureOf } from "./postgres-errors.ts";

/** Commits in one transaction. */
const largestGroup = 8;

type Ask = (statement: Statement) => Promise<QueryResultRow[]>;

interface Waiting {
  statement: Statement;
  resolve: (rows: QueryResultRow[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Commits of one connection. Those that come in while one is on its way go out together, as one transaction: one round
 * trip and one flush for all of them. A group that fails is sent again one by one, so that the commit to blame fails alone.
 */
export class GroupCommit {
  readonly #ask: Ask;
  readonly #waiting: Waiting[] = [];
  #isSending = false;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  send(statement: Statement): Promise<QueryResultRow[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, resolve, reject });
      if (this.#isSending) return;
      this.#isSending = true;
      this.#sendSoon();
    });
  }

  /** After what is runnable now: writers that were just answered often write again. */
  #sendSoon(): void {
    setImmediate(() => void this.#sendGroup());
  }

  async #sendGroup(): Promise<void> {
    // One order for all processes: two groups with the same sessions cannot block each other.
    const group = this.#waiting.splice(0, largestGroup).sort(bySession);
    const [first] = group;
    try {
      if (group.length === 1 && first) first.resolve(await this.#ask(first.statement));
      else {
        const [row = {}] = await this.#ask(joinCommits(group.map(({ statement }) => statement)));
        for (const [index, { resolve }] of group.entries()) resolve([{ answer: row[answerName(index)] }]);
      }
    } catch (error) {
      this.#fail(group, error);
    }
    if (this.#waiting.length > 0) this.#sendSoon();
    else this.#isSending = false;
  }

  #fail(group: readonly Waiting[], error: unknown): void {
    const isAnswer = failureOf(error) === "busy" || failureOf(error) === "final";
    for (const { statement, resolve, reject } of group) {
      if (group.length > 1 && isAnswer) this.#ask(statement).then(resolve, reject);
      else reject(error);
    }
  }
}

/** Several calls of the same function in one statement. Only for a server that holds all sessions itself. */
export function joinCommits(statements: readonly Statement[]): Statement {
  const values: unknown[] = [];
  const calls = statements.map(({ name, values: own }, index) => {
    const parameters = own.map((value) => `$${values.push(value)}`).join(", ");
    return `${name}(${parameters}) AS ${answerName(index)}`;
  });
  return {
    name: `${statements[0]?.name}_${statements.length}`,
    text: `SELECT ${calls.join(", ")}`,
    values,
  };
}

function answerName(index: number): string {
  return `answer_${index}`;
}

function bySession(a: Waiting, b: Waiting): number {
  const [left, right] = [String(a.statement.values[0]), String(b.statement.values[0])];
  return left < right ? -1 : left > right ? 1 : 0;
}
