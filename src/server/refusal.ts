import { type ErrorCode, HoldfastError } from "../errors.ts";
import type { ErrorReply } from "./api.ts";

const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_input: 400,
  not_found: 404,
  session_not_found: 404,
  history_removed: 410,
  conflict: 409,
  cannot_undo: 409,
  text_not_found: 409,
  key_reused: 409,
  session_exists: 409,
  over_limit: 422,
  store_read_only: 503,
  store_full: 503,
  store_busy: 503,
  store_failed: 503,
  store_unknown: 504,
  store_closed: 503,
  store_damaged: 503,
};

/** An error response; all of them have this shape. */
export function refuse(
  status: number,
  code: string,
  message: string,
  data: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Response {
  const body: ErrorReply = { error: { code, message, data } };
  return Response.json({ ...body, ...more }, { status });
}

/** The response to a thrown error. Unexpected errors go to the log, not to the caller. */
export function refusalOf(error: unknown, log: (line: string) => void): Response {
  if (!(error instanceof HoldfastError)) {
    log(`The server failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return refuse(
      500,
      "failed",
      "The request failed on the server; its terminal shows why. Nothing was changed.",
    );
  }
  const { conflict, ...data } = error.data;
  return refuse(
    statuses[error.code] ?? 500,
    error.code,
    error.message,
    data,
    conflict === undefined ? {} : { conflict },
  );
}
