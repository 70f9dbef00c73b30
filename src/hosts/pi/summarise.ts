import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AskSummariser } from "../../compaction/summary.ts";
import { HoldfastError } from "../../errors.ts";
import type { PiContext, PiModelAnswer, PiModelRequest } from "./api.ts";

/** Asks the model of pi's session for a summary. */
export function askPi(context: PiContext, signal: AbortSignal): AskSummariser {
  return async ({ instructions, sections, maxTokens }) => {
    const content = [{ type: "text" as const, text: sections.join("\n\n") }];
    const messages = [{ role: "user" as const, content, timestamp: Date.now() }];
    return ask(context, { systemPrompt: instructions, messages }, { maxTokens, signal });
  };
}

async function ask(
  { model, modelRegistry }: PiContext,
  request: PiModelRequest,
  options: { maxTokens: number; signal: AbortSignal },
): Promise<string> {
  if (model === undefined || modelRegistry === undefined) throw noSummary("No model is selected in pi");
  const { content, stopReason, errorMessage } = modelRegistry.streamSimple
    ? await modelRegistry.streamSimple(model, request, options).result()
    : await askOlderPi(model, modelRegistry, request, options);
  if (stopReason === "error" || stopReason === "aborted") throw noSummary(errorMessage ?? stopReason);
  return content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

function noSummary(reason: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `${reason}. Holdfast writes the summary without a model; check the model and its key.`,
  );
}

interface PiAi {
  completeSimple(
    model: unknown,
    request: PiModelRequest,
    options: Record<string, unknown>,
  ): Promise<PiModelAnswer>;
}

/** Up to 0.7x, extensions call models through a package that pi ships. */
async function askOlderPi(
  model: unknown,
  registry: NonNullable<PiContext["modelRegistry"]>,
  request: PiModelRequest,
  options: Record<string, unknown>,
): Promise<PiModelAnswer> {
  const auth = await registry.getApiKeyAndHeaders?.(model);
  if (!auth?.ok) throw noSummary("pi has no key for the model");
  const { completeSimple } = (await import(findPiAi())) as PiAi;
  return completeSimple(model, request, { ...options, apiKey: auth.apiKey, headers: auth.headers });
}

/** Searches beside the running pi: a built extension cannot resolve pi's packages by name. */
function findPiAi(): string {
  const started = realpathSync(process.argv[1] ?? process.execPath);
  for (let folder = dirname(started); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "node_modules/@mariozechner/pi-ai/dist/index.js");
    if (existsSync(file)) return pathToFileURL(file).href;
  }
  throw noSummary(`The package @mariozechner/pi-ai is not beside ${started}`);
}
