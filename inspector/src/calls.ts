import { useEffect, useRef, useState } from "preact/hooks";
import { callApi, type Reply } from "./api.ts";
import { useActivity, useFreshness } from "./live.ts";

export type Call = Reply<"calls">["calls"][number];

/** The newest calls of a session; the clock and the chart draw the same ones. */
export interface Calls {
  calls: readonly Call[];
  total: number;
  /** The epochs of these calls that a compaction ended. */
  cuts: readonly number[];
  isReady: boolean;
}

const maxCalls = 240;
const none: Calls = { calls: [], total: 0, cuts: [], isReady: false };

/** Reads all of them once and then only the new ones. */
export function useCalls(
  sessionId: string,
  session: { host: string | null; window: unknown } | undefined,
  beat: number,
): Calls {
  const { generation } = useActivity();
  const freshness = useFreshness(sessionId);
  const [known, setKnown] = useState<Calls>(none);
  const state = useRef({ generation: -1, busy: false, again: false, known: none }).current;
  const load = async () => {
    if (state.busy) {
      state.again = true;
      return;
    }
    state.busy = true;
    state.again = false;
    const before = state.generation === generation ? state.known : none;
    const last = before.calls.at(-1)?.number;
    const query = { limit: maxCalls, ...(last === undefined ? {} : { after: last }) };
    const page = await callApi("calls", { params: { id: sessionId }, query }).catch(() => undefined);
    state.busy = false;
    if (page) {
      state.generation = generation;
      state.known = {
        calls: [...before.calls, ...page.calls].slice(-maxCalls),
        total: page.total,
        cuts: [...new Set([...before.cuts, ...page.cuts])],
        isReady: true,
      };
      setKnown(state.known);
    }
    if (state.again) void load();
  };
  // A write without a new call needs no request: the session names the newest call.
  const newest = session?.host === null ? JSON.stringify(session.window) : `${freshness} ${beat}`;
  useEffect(() => {
    if (session) void load();
  }, [sessionId, generation, newest, session === undefined]);
  return known;
}

/** The call of the time that the page shows; undefined if it is not among these. */
export function callAt(
  calls: readonly Call[],
  { at, call }: { at: number | undefined; call: number | undefined },
): Call | undefined {
  if (call !== undefined) return calls.find(({ number }) => number === call);
  return calls.findLast(({ purpose, revision }) => purpose !== "summary" && revision <= (at ?? Infinity));
}
