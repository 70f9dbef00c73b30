import type { LanguageModel, ModelMessage } from "ai";
import type { PromptNow } from "../../agent/agent-session.ts";
import { modelName } from "../../agent/answer.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { makeRoom, makeRoomFor } from "../../agent/make-room.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import { refreshWhenCold, showNews } from "../../agent/shown.ts";
import { readLearned } from "../../engine/conversation.ts";
import type { CallerSession } from "./caller-session.ts";
import type { createNudge } from "./nudge-turn.ts";

interface Parts {
  agent: CallerSession;
  setting: AgentSetting;
  emit: (event: AgentEvent) => void;
}

/** Before a model call: stores the caller's new messages, then clears, warns and compacts as needed. */
export async function makeRoomForCall({
  messages,
  signal = new AbortController().signal,
  ...frame
}: Parts & {
  base: string;
  messages: readonly ModelMessage[];
  /** Answers the warning and writes the summary. */
  model: LanguageModel;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { agent, setting, base, emit, model } = frame;
  const run = { ...frame, signal, steer: "", isOver: () => false };
  const learned = readLearned(await agent.session.state(), modelName(model));
  if (learned) setting.tokenizer.start(learned.ratio);
  await agent.follow(messages, base, emit, (message) => makeRoomFor(run, message));
  await makeRoom(run);
  agent.conversation.expected = (await agent.prompt({ base })).usage.total;
}

/** The prompt of a model call, with memory in it. `base`, the caller's own system prompt, is not part of it. */
export async function planCall(
  { agent, setting, emit, nudge }: Parts & { nudge: ReturnType<typeof createNudge> },
  messages: readonly ModelMessage[],
  base: string,
): Promise<Omit<PromptNow, "usage">> {
  await agent.refresh();
  await agent.follow(messages, base, emit);
  await showNews({ agent, setting });
  await refreshWhenCold({ agent, setting });
  return agent.plan({ steer: nudge(agent, await agent.session.state()), base: "" });
}
