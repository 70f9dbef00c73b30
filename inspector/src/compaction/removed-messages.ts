import { useEffect, useState } from "preact/hooks";
import { type ApiError, callApi } from "../api.ts";
import { asApiError } from "../load.ts";
import type { Compaction, Message } from "./trace-items.ts";

export interface Removed {
  messages: readonly Message[] | undefined;
  error: ApiError | undefined;
  /** Whether `messages` omits some. */
  isCut: boolean;
  reload: () => void;
}

const pageSize = 200;
const maxMessages = 600;

/** The messages that a compaction removed; only the newest if there are very many. */
export function useRemovedMessages(sessionId: string, compaction: Compaction | undefined): Removed {
  const [messages, setMessages] = useState<readonly Message[]>();
  const [error, setError] = useState<ApiError>();
  const [attempts, setAttempts] = useState(0);
  const { from = 0, to = 0 } = compaction ?? {};
  useEffect(() => {
    if (!compaction) return undefined;
    const aborter = new AbortController();
    setError(undefined);
    readMessages(sessionId, Math.max(1, from, to - maxMessages + 1), to, aborter.signal).then(
      setMessages,
      (problem) => {
        if (!aborter.signal.aborted) setError(asApiError(problem));
      },
    );
    return () => aborter.abort();
  }, [sessionId, compaction === undefined, from, to, attempts]);
  return {
    messages,
    error,
    isCut: to - from + 1 > maxMessages,
    reload: () => setAttempts(attempts + 1),
  };
}

async function readMessages(id: string, from: number, to: number, signal: AbortSignal): Promise<Message[]> {
  const found: Message[] = [];
  for (let after = from - 1; after < to; after += pageSize) {
    const limit = Math.min(pageSize, to - after);
    const { messages } = await callApi("messages", { params: { id }, query: { after, limit } }, signal);
    found.push(...messages);
  }
  return found;
}
