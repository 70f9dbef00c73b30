import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  deterministicSummary,
  findSummaryFault,
  summaryInstructions,
  transcriptOf,
} from "../../compaction/summary.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { unfenceContent } from "../../context/fence.ts";
import type { Receipt } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { PiContext, PiModelAnswer, PiModelRequest } from "./api.ts";

export interface SummaryInput {
  /** What the compaction before this one left. */
  previous: string;
  removed: readonly StoredMessage[];
  openAsks: readonly string[];
  /** What the person wants the summary to look at. */
  focus: string;
  signal: AbortSignal;
  countTokens: (text: string) => number;
  /** Told why no model has written the summary. */
  noModel: (error: unknown) => void;
}

/** Tokens that a summary may take. */
const budget = 3_000;

/** Asks the session's model, once more if the summary will not do, and does without it if need be. */
export async function summarise(
  context: PiContext,
  input: SummaryInput,
): Promise<{ text: string; by: Receipt["summaryBy"] }> {
  const { removed, signal, countTokens } = input;
  const earlier = summaryBody(input.previous);
  const openAsks = input.openAsks.slice(0, 5);
  const removedTokens = countTokens(transcriptOf(removed)) + countTokens(earlier);
  let fault = "";
  for (let attempt = 1; attempt <= 2; attempt++) {
    const request = requestOf({ ...input, openAsks }, earlier, fault);
    const answer = await ask(context, request, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      input.noModel(error);
    });
    signal.throwIfAborted();
    if (answer === undefined) break;
    const found = findSummaryFault(answer, openAsks, {
      summary: countTokens(answer),
      removed: removedTokens,
    });
    if (!found) return { text: answer.trim(), by: "model" };
    fault = found;
  }
  return { text: deterministicSummary(earlier, removed, budget, countTokens), by: "deterministic" };
}

/** A summary of ours without the checkpoint and the receipt that stand below it; pi's own as it is. */
function summaryBody(summary: string): string {
  const body = /^\[Summary of the conversation so far\]\n([\s\S]*?)\n\[End of summary\]/.exec(summary)?.[1];
  return body === undefined ? summary : unfenceContent(body);
}

function requestOf(
  { removed, openAsks, focus }: SummaryInput,
  earlier: string,
  fault: string,
): PiModelRequest {
  const text = [
    earlier === "" ? "" : `The earlier summary:\n${earlier}`,
    `The messages to summarise:\n${transcriptOf(removed, 2_000)}`,
    ...openAsks.map((request) => `Open request: ${request.slice(0, 2_000).toWellFormed()}`),
    focus === "" ? "" : `The user asks you to look at this above all: ${focus}`,
    fault === "" ? "" : `Your last summary was refused: ${fault}. Write it again and mend that.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
  return {
    systemPrompt: summaryInstructions,
    messages: [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }],
  };
}

async function ask(
  { model, modelRegistry }: PiContext,
  request: PiModelRequest,
  signal: AbortSignal,
): Promise<string> {
  if (model === undefined || modelRegistry === undefined) throw noSummary("pi has no model chosen");
  const options = { maxTokens: budget * 2, signal };
  const { content, stopReason, errorMessage } = modelRegistry.streamSimple
    ? await modelRegistry.streamSimple(model, request, options).result()
    : await askOlderPi(model, modelRegistry, request, options);
  if (stopReason === "error" || stopReason === "aborted") throw noSummary(errorMessage ?? stopReason);
  return content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

function noSummary(reason: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `No summary came from the model: ${reason}. It was made without one; check the model and its key.`,
  );
}

interface PiAi {
  completeSimple(
    model: unknown,
    request: PiModelRequest,
    options: Record<string, unknown>,
  ): Promise<PiModelAnswer>;
}

/** Up to 0.7x an extension imports the model calls from a package that pi brings along. */
async function askOlderPi(
  model: unknown,
  registry: NonNullable<PiContext["modelRegistry"]>,
  request: PiModelRequest,
  options: Record<string, unknown>,
): Promise<PiModelAnswer> {
  const auth = await registry.getApiKeyAndHeaders?.(model);
  if (!auth?.ok) throw noSummary("pi has no key for it");
  const { completeSimple } = (await import(findPiAi())) as PiAi;
  return completeSimple(model, request, { ...options, apiKey: auth.apiKey, headers: auth.headers });
}

/** Beside the running pi: a built extension is loaded without pi's own names for its packages. */
function findPiAi(): string {
  const started = realpathSync(process.argv[1] ?? process.execPath);
  for (let folder = dirname(started); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "node_modules/@mariozechner/pi-ai/dist/index.js");
    if (existsSync(file)) return pathToFileURL(file).href;
  }
  throw noSummary(`the package of pi's models is not beside ${started}`);
}
