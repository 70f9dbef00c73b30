import { useLoad } from "../load.ts";
import type { Message } from "./trace-items.ts";

export interface Removed {
  messages: readonly Message[] | undefined;
  total: number;
  /** Whether each message is only one line of it. */
  isPreview: boolean;
  error: ReturnType<typeof useLoad>["error"];
  reload: () => void;
}

/** The messages that a compaction removed; only the newest if there are very many. */
export function useRemovedMessages(sessionId: string, epoch: number): Removed {
  const { data, error, reload } = useLoad("removedMessages", { params: { id: sessionId, epoch } }, 0);
  return {
    messages: data?.messages,
    total: data?.total ?? 0,
    isPreview: data?.isPreview ?? false,
    error,
    reload,
  };
}
