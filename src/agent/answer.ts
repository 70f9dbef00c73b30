import type { ModelMessage } from "ai";
import { toolCallsOf, toolResultsOf } from "../context/conversation.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { ModelAnswer } from "./call.ts";
import type { PromptNow } from "./conversation.ts";
import { leastTokens, roomForResults } from "./fit.ts";
import { recordTurn } from "./ledger.ts";
import { continueOnFailure, modelName, type TurnRun } from "./run.ts";
import { runTools } from "./tools.ts";

/** Stores the model's answer, and calibrates the tokenizer with the provider's count. */
export async function storeAnswer(
  run: TurnRun,
  answer: ModelAnswer,
  now: PromptNow,
  inWarning = false,
): Promise<void> {
  const { agent, config, emit } = run;
  const { usage } = now;
  await agent.learn(modelName(run.model), usage.total, answer.reported.inputTokens);
  emit({ type: "usage", usage, reported: answer.reported });
  const recorded =
    config.options.ledger === false
      ? undefined
      : await recordTurn(run, now, inWarning ? "warning" : "turn", answer.reported);
  await continueOnFailure(run, () => agent.receiptCheck.check({ call: recorded, body: answer.sent }, emit));
  const messages: ModelMessage[] =
    answer.messages.length > 0 ? answer.messages : [{ role: "assistant", content: answer.text }];
  await agent.add(messages, inWarning);
}

/** Runs the tools that the model called, stores their results and returns them as text. */
export async function answerCalls(
  run: TurnRun,
  { toolCalls }: ModelAnswer,
  inWarning = false,
): Promise<string[]> {
  const { row } = await run.agent.session.state();
  const used = run.agent.roughTotal ?? 0;
  const room = roomForResults(used, run.config.policy, toolCalls.length) / Math.max(1, toolCalls.length);
  noteWrites(run, toolCalls);
  const message = row.counters.lastMessage;
  const results = await runTools({
    ...run,
    calls: toolCalls,
    message,
    interrupted: false,
    onlyMemory: inWarning,
    room,
  });
  await run.agent.add([results], inWarning);
  return toolResultsOf({ number: message + 1, message: results, at: 0 }).map(({ text }) => text);
}

/** Answers calls left open by a process that died, since providers reject a call without a result. */
export async function finishPendingCalls(run: TurnRun): Promise<void> {
  const messages = await run.agent.messages();
  const last = messages.findLast(({ message }) => message.role === "assistant");
  if (!last) return;
  const calls = toolCallsOf(last);
  const answered = new Set(
    messages.flatMap(({ number, message }) =>
      number > last.number && message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
        : [],
    ),
  );
  const open = calls.filter(({ id }) => !answered.has(id));
  if (open.length === 0) return;
  noteWrites(run, open);
  await run.agent.add(
    [await runTools({ ...run, calls: open, message: last.number, interrupted: true, room: leastTokens })],
    last.inWarning,
  );
}

function noteWrites(run: TurnRun, calls: readonly { tool: string }[]): void {
  const writes = run.agent.tools.filter(({ readOnly }) => !readOnly).map(({ name }) => dotless(name));
  if (calls.some(({ tool }) => writes.includes(tool))) run.wroteMemory = true;
}
