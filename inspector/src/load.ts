import { useEffect, useRef, useState } from "preact/hooks";
import type { RouteName } from "../../src/server/api.ts";
import { ApiError, type Ask, ask, type Reply } from "./api.ts";

export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  /** Asks again now. */
  reload: () => void;
}

/** Answers shown before: going back to a view draws it at once, while the fresh answer is on its way. */
const known = new Map<string, unknown>();
const mostKnown = 60;

/**
 * The answer of a route, asked for again whenever `freshness` changes. One request is on its way at a time, so a
 * session that is written to quickly is asked for as fast as it can be shown, and no faster.
 */
export function useLoad<Name extends RouteName>(
  name: Name,
  given: Ask<Name> | undefined,
  freshness: unknown,
): Loaded<Reply<Name>> {
  const key = given === undefined ? "" : `${name} ${JSON.stringify(given)}`;
  const [, draw] = useState(0);
  const state = useRef<{ key: string; error: ApiError | undefined; busy: boolean; again: boolean }>({
    key: "",
    error: undefined,
    busy: false,
    again: false,
  }).current;
  const aborter = useRef<AbortController>(null);

  const load = () => {
    if (given === undefined) return;
    if (state.busy) {
      state.again = true;
      return;
    }
    state.busy = true;
    state.again = false;
    const mine = new AbortController();
    aborter.current = mine;
    ask(name, given, mine.signal)
      .then(
        (data) => {
          remember(key, data);
          if (!mine.signal.aborted) state.error = undefined;
        },
        (error) => {
          if (!mine.signal.aborted) state.error = asApiError(error);
        },
      )
      .then(() => {
        if (mine.signal.aborted) return;
        state.busy = false;
        draw((count) => count + 1);
        if (state.again) load();
      });
  };

  useEffect(() => {
    if (state.key !== key) {
      aborter.current?.abort();
      Object.assign(state, { key, error: undefined, busy: false, again: false });
    }
    load();
  }, [key, freshness]);
  useEffect(() => () => aborter.current?.abort(), []);

  const isCurrent = state.key === key;
  return {
    data: known.get(key) as Reply<Name> | undefined,
    error: isCurrent ? state.error : undefined,
    reload: load,
  };
}

function remember(key: string, data: unknown): void {
  known.delete(key);
  known.set(key, data);
  const oldest = known.size > mostKnown ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, "failed", (error as Error).message);
}
