import type { Client, QueryResultRow } from "pg";
import { GroupCommit } from "./group-commit.ts";
import { endClient, type OpenClient, type ServerLimits, settings, socketOf } from "./open-client.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Prepared once per connection under this name, unless a pooler is in between. */
  name?: string;
  /** One session's commit, which may share a transaction with those of others. */
  isCommit?: boolean;
}

/** `sent` is set when the statement goes out: from then on a lost connection leaves its outcome open. */
export interface Attempt {
  sent: boolean;
}

/** A lane whose oldest statement waits longer than this is not used by other sessions. */
const stalledMilliseconds = 80;

/** One connection whose statements are pipelined: answered in the order in which they were sent. */
export class Lane {
  readonly #open: (onEnd: () => void) => Promise<OpenClient>;
  readonly #limits: ServerLimits;
  readonly #silence: number;
  #connection: Promise<OpenClient> | undefined;
  #commits: { client: Client; group: GroupCommit } | undefined;
  #lastAnswer = 0;
  #named = true;
  /** Statements without an answer. */
  pending = 0;

  /** `silence`: milliseconds without a byte after which a connection with pending statements counts as dead. */
  constructor(open: (onEnd: () => void) => Promise<OpenClient>, limits: ServerLimits, silence: number) {
    this.#open = open;
    this.#limits = limits;
    this.#silence = silence;
  }

  get isStalled(): boolean {
    return this.pending > 0 && Date.now() - this.#lastAnswer > stalledMilliseconds;
  }

  /** With `limits`, the statement runs in a transaction under them instead of the connection's own. */
  async send<Row extends QueryResultRow>(
    statement: Statement,
    attempt: Attempt,
    limits?: () => ServerLimits,
  ): Promise<Row[]> {
    if (this.pending++ === 0) this.#lastAnswer = Date.now();
    try {
      this.#connection ??= this.#connect();
      const { client, pooled, distributed } = await this.#connection;
      attempt.sent = true;
      const own = limits?.();
      const silence = Math.max(this.#silence, (own?.statementMilliseconds ?? 0) + this.#silence / 4);
      const stop = watchSilence(client, silence);
      try {
        if (pooled || own) return await inTransaction<Row>(client, statement, own ?? this.#limits);
        if (statement.isCommit && this.#named && !distributed)
          return (await this.#groupOf(client).send(statement)) as Row[];
        return await ask<Row>(client, statement, this.#named);
      } finally {
        stop();
      }
    } finally {
      this.pending--;
      this.#lastAnswer = Date.now();
    }
  }

  /** Gives up the connection; the next statement opens a new one. */
  drop(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.then(({ client }) => endClient(client)).catch(() => undefined);
  }

  /** For a pooler that is not recognised as one. */
  stopPreparing(): void {
    this.#named = false;
  }

  async close(): Promise<void> {
    const opened = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    if (opened) await endClient(opened.client);
  }

  #groupOf(client: Client): GroupCommit {
    if (this.#commits?.client !== client)
      this.#commits = { client, group: new GroupCommit((statement) => ask(client, statement, this.#named)) };
    return this.#commits.group;
  }

  #connect(): Promise<OpenClient> {
    // Several statements may report the same loss; drop the connection once, and never its replacement.
    const lost = () => {
      if (this.#connection === connection) this.drop();
    };
    const connection = this.#open(lost);
    connection.catch(lost);
    return connection;
  }
}

async function ask<Row extends QueryResultRow>(
  client: Client,
  { text, values, name }: Statement,
  named: boolean,
): Promise<Row[]> {
  const query = { text, values: [...values], ...(name && named ? { name } : {}) };
  return (await client.query<Row>(query)).rows;
}

/** All four statements are sent at once, so that they take one round trip and nothing comes between them. */
async function inTransaction<Row extends QueryResultRow>(
  client: Client,
  statement: Statement,
  limits: ServerLimits,
): Promise<Row[]> {
  const answers = await Promise.allSettled([
    client.query("BEGIN"),
    client.query(`SELECT ${settings(limits, true)}`),
    ask<Row>(client, statement, false),
    client.query("COMMIT"),
  ]);
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  const [, , rows] = answers;
  return rows.status === "fulfilled" ? rows.value : [];
}

/** A dead network path reports no error, so destroy a silent connection. */
function watchSilence(client: Client, silence: number): () => void {
  const socket = socketOf(client);
  let received = socket.bytesRead;
  const watchdog = setInterval(() => {
    if (socket.bytesRead === received) socket.destroy();
    received = socket.bytesRead;
  }, silence);
  return () => clearInterval(watchdog);
}
