import { useEffect, useRef, useState } from "preact/hooks";
import type { RouteName } from "../../src/server/api.ts";
import { type ApiError, type ApiRequest, asApiError, callApi, type Reply } from "./api.ts";

export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  /** Loads again now. */
  reload: () => void;
}

/** Cached responses: going back to a view draws it at once while the new response loads. */
const cached = new Map<string, unknown>();
const maxCached = 60;

function keyOf(name: string, request: unknown): string {
  return `${name} ${JSON.stringify(request)}`;
}

/** Changes a cached response, if there is one; `change` returns undefined to leave it. */
export function patchCached<Name extends RouteName>(
  name: Name,
  request: ApiRequest<Name>,
  change: (data: Reply<Name>) => Reply<Name> | undefined,
): boolean {
  const key = keyOf(name, request);
  const known = cached.get(key) as Reply<Name> | undefined;
  const next = known && change(known);
  if (next) cached.set(key, next);
  return next !== undefined;
}

/**
 * The response of a route, loaded again whenever `freshness` changes. Only one request runs at a time, so a session with
 * many writes is loaded no faster than it can be shown.
 */
export function useLoad<Name extends RouteName>(
  name: Name,
  request: ApiRequest<Name> | undefined,
  freshness: unknown,
): Loaded<Reply<Name>> {
  const key = request === undefined ? "" : keyOf(name, request);
  const [, draw] = useState(0);
  const state = useRef<{ key: string; error: ApiError | undefined; busy: boolean; again: boolean }>({
    key: "",
    error: undefined,
    busy: false,
    again: false,
  }).current;
  const aborter = useRef<AbortController>(null);

  const load = () => {
    if (request === undefined) return;
    if (state.busy) {
      state.again = true;
      return;
    }
    state.busy = true;
    state.again = false;
    const controller = new AbortController();
    aborter.current = controller;
    callApi(name, request, controller.signal)
      .then(
        (data) => {
          remember(key, data);
          if (!controller.signal.aborted) state.error = undefined;
        },
        (error) => {
          if (!controller.signal.aborted) state.error = asApiError(error);
        },
      )
      .then(() => {
        if (controller.signal.aborted) return;
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
    data: cached.get(key) as Reply<Name> | undefined,
    error: isCurrent ? state.error : undefined,
    reload: load,
  };
}

function remember(key: string, data: unknown): void {
  cached.delete(key);
  cached.set(key, data);
  const oldest = cached.size > maxCached ? cached.keys().next().value : undefined;
  if (oldest !== undefined) cached.delete(oldest);
}
