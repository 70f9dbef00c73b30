/** The kind of failure, as a code that programs can switch on. */
export type ErrorCode =
  | "invalid_input"
  | "unknown_tool"
  | "duplicate_tool"
  | "unknown_surface"
  | "not_found"
  | "text_not_found"
  | "over_limit"
  | "conflict"
  | "key_reused"
  | "cannot_undo"
  | "history_removed"
  | "locked"
  | "secret_refused"
  | "session_exists"
  | "session_not_found"
  | "store_foreign"
  | "store_newer"
  | "store_damaged"
  | "store_read_only"
  | "store_full"
  | "store_busy"
  | "store_failed"
  | "store_unknown"
  | "store_closed"
  | "program_failed"
  | "no_progress"
  | "missing_dependency";

export interface ErrorDetails {
  data?: Record<string, unknown>;
  cause?: unknown;
}

/**
 * The one error class. The message has the failure, the value and the next step;
 * `code` and `data` carry the same for programs.
 */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly code: ErrorCode;
  readonly data: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.data = details.data ?? {};
  }

  /** The message alone: frameworks show models the error as text. */
  override toString(): string {
    return this.message;
  }
}

export function isHoldfastError(value: unknown): value is HoldfastError {
  return value instanceof HoldfastError;
}
