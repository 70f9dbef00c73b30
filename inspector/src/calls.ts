import type { Reply } from "./api.ts";
import { useActivity, useFreshness } from "./live.ts";
import { useLoad } from "./load.ts";

export type Call = Reply<"calls">["calls"][number];
/** The newest calls of a session; the clock and the chart draw the same ones. */
export type Calls = Pick<Reply<"calls">, "calls" | "total" | "cuts"> & { isReady: boolean };

const maxCalls = 240;

export function useCalls(
  id: string,
  session: { host: string | null; window: unknown } | undefined,
  beat: number,
): Calls {
  const { generation } = useActivity();
  const freshness = useFreshness(id);
  // A write without a new call needs no request: the session names the newest call.
  const newest = session?.host === null ? JSON.stringify(session.window) : `${freshness} ${beat}`;
  const request = session && { params: { id }, query: { limit: maxCalls } };
  const { data } = useLoad("calls", request, `${generation} ${newest}`);
  return { ...(data ?? { calls: [], total: 0, cuts: [] }), isReady: data !== undefined };
}

/** The call of the time that the page shows; undefined if it is not among these. */
export function callAt(
  calls: readonly Call[],
  { at, call }: { at: number | undefined; call: number | undefined },
): Call | undefined {
  if (call !== undefined) return calls.find(({ number }) => number === call);
  return calls.findLast(({ purpose, revision }) => purpose !== "summary" && revision <= (at ?? Infinity));
}
