import { HoldfastError } from "../../errors.ts";

/**
 * The meaning of an error for the statement that it answers.
 * - `lost`: the connection failed; a COMMIT that was sent may have been applied.
 * - `moved`: the server accepts no writes (a standby); not applied, a new connection may reach the primary.
 * - `crowded`: the server has no free connection; not applied.
 * - `busy`: a lock or a time limit on the server; not applied.
 * - `final`: not applied, and trying again would not help.
 */
export type Failure = "lost" | "moved" | "crowded" | "busy" | "final";

const lostCodes = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

const byCode: Record<string, Failure> = {
  "25006": "moved",
  "53300": "crowded",
  // Lock timeout, statement timeout, serialisation failure, deadlock.
  "55P03": "busy",
  "57014": "busy",
  "40001": "busy",
  "40P01": "busy",
  // The server ended a transaction that was left open, as after a stall of this process.
  "25P03": "lost",
};

export function failureOf(error: unknown): Failure {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (error instanceof HoldfastError) return "final";
  const known = byCode[code];
  if (known) return known;
  // SQLSTATE 08: connection exception; 57P: the server shuts down or is not ready.
  const isLost =
    /^(?:08|57P)/.test(code) ||
    lostCodes.includes(code) ||
    /Connection terminated|Client (?:was closed|has encountered)|not queryable|connection error|timeout expired|timeout exceeded|read timeout|pooler error|server_login_retry|no more connections allowed/i.test(
      message,
    );
  return isLost ? "lost" : "final";
}

/** For a statement that was not applied. */
export function postgresError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  const failure = failureOf(error);
  if (failure === "lost" || failure === "crowded") {
    return new HoldfastError(
      "store_failed",
      `Postgres cannot be reached: ${message || code}. Nothing was written. Check the server and the URL, then try again.`,
      { data: { code }, cause: error },
    );
  }
  if (failure === "busy") {
    return new HoldfastError(
      "store_busy",
      `Another transaction blocks this session in Postgres: ${message}. Nothing was written. Try again.`,
      { data: { code }, cause: error },
    );
  }
  if (code === "53100") {
    return new HoldfastError(
      "store_full",
      `Postgres has no disk space left: ${message}. Nothing was written. Free some space, then try again.`,
      { cause: error },
    );
  }
  if (failure === "moved" || code === "42501") {
    return new HoldfastError(
      "store_read_only",
      `Postgres rejected a write: ${message}. Use a role with write permission and a writable server.`,
      { cause: error },
    );
  }
  return new HoldfastError("store_failed", `Postgres failed: ${message}. Nothing was acknowledged.`, {
    data: { code },
    cause: error,
  });
}

/** For a write that was sent and not answered. */
export function unknownOutcome(error: unknown, waitedMilliseconds: number): HoldfastError {
  const { code, message } = error as { code?: string; message?: string };
  return new HoldfastError(
    "store_unknown",
    `Postgres did not answer within ${(waitedMilliseconds / 1_000).toFixed(1)} s (${message || code}). The change may have been applied. Send the same call again: it is applied once. To find out, look at the session's newest entry ("holdfast log SESSION").`,
    { data: { code }, cause: error },
  );
}
