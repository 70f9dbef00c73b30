import { HoldfastError } from "../errors.ts";
import { Draft, type LoadedRecords, RecordsNeeded } from "./draft.ts";
import type { Actor, LoggedOperation } from "./journal.ts";
import type { Limits } from "./limits.ts";
import type { RecordId } from "./records.ts";
import type { Change, State } from "./state.ts";
import { quote } from "./text.ts";

/** Everything the engine gets from outside. */
export interface Environment {
  now: number;
  limits: Limits;
  countTokens: (text: string) => number;
  /** Who makes the change (default: the agent). */
  by?: Actor["kind"] | undefined;
}

export interface Outcome<Result> {
  result: Result;
  warnings: string[];
}

/** Applies one operation to a draft of the state; throws a HoldfastError to reject it. */
export type Handler<Operation, Result> = (
  draft: Draft,
  operation: Operation,
  state: State,
  environment: Environment,
) => Outcome<Result>;

/** One handler for each operation type of a subject. */
export type Handlers<Operation extends LoggedOperation, Result> = {
  [Type in Operation["type"]]: Handler<OfType<Operation, Type>, Result>;
};

type OfType<Operation, Type> = Operation extends { type: infer Types }
  ? Type extends Types
    ? Operation
    : never
  : never;

/** Handlers by operation type. */
export type AnyHandlers = Readonly<Record<string, Handler<never, unknown>>>;

export type Applied<Result> =
  | ({ status: "applied"; changes: Change[] } & Outcome<Result>)
  | { status: "needs"; ids: RecordId[] };

/**
 * Applies one operation to a state. Throws a HoldfastError if the operation is rejected; returns the ids
 * of the records it needs if they are not loaded; never modifies its arguments.
 */
export function apply<Result>(
  handlers: AnyHandlers,
  state: State,
  loaded: LoadedRecords,
  operation: LoggedOperation,
  environment: Environment,
): Applied<Result> {
  const draft = new Draft(state, loaded);
  try {
    const handler = findHandler(handlers, operation);
    const outcome = handler(draft, operation as never, state, environment) as Outcome<Result>;
    return { status: "applied", changes: draft.changes, ...outcome };
  } catch (thrown) {
    if (thrown instanceof RecordsNeeded) return { status: "needs", ids: thrown.ids };
    throw thrown;
  }
}

function findHandler(handlers: AnyHandlers, operation: LoggedOperation): Handler<never, unknown> {
  const type: unknown = operation?.type;
  const handler = typeof type === "string" && Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (handler) return handler;
  const problem =
    typeof type === "string"
      ? `There is no operation ${quote(type)}`
      : `An operation must be an object with a "type"`;
  throw new HoldfastError("invalid_input", `${problem}. Nothing was changed.`, { data: { type } });
}
