import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModel, LoadAPIKeyError, RetryError } from "ai";
import { dropTrailing } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";

interface ModelChoice {
  /** `provider:name`; with a base URL, the name alone. */
  model?: string | undefined;
  baseUrl?: string | undefined;
}

export interface ChosenModel {
  model: LanguageModel;
  /** Shown to the user: the name and where it runs. */
  label: string;
  /** A guess; the setting `contextWindow` overrides it. */
  contextWindow: number;
}

/** Local servers with an OpenAI-compatible API, which need no key. */
const localServers: Record<string, string> = {
  ollama: "http://127.0.0.1:11434/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
};

/** Optional provider packages, and the smallest context window of their models. */
const hosted: Record<string, { package: string; contextWindow: number }> = {
  anthropic: { package: "@ai-sdk/anthropic", contextWindow: 200_000 },
  openai: { package: "@ai-sdk/openai", contextWindow: 128_000 },
  google: { package: "@ai-sdk/google", contextWindow: 1_000_000 },
};

const localWindow = 32_000;

const choices =
  "Use --model ollama:NAME, lmstudio:NAME, anthropic:NAME, openai:NAME or google:NAME, or --base-url URL --model NAME for any OpenAI-compatible server.";

/** Resolves the requested model without sending it anything. */
export async function chooseModel(
  { model = "", baseUrl }: ModelChoice,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<ChosenModel> {
  if (baseUrl !== undefined) {
    const [, provider = "", rest = ""] = /^([^:]+):(.+)$/.exec(model) ?? [];
    // The name of a model may have colons, so only a known provider counts as one.
    const isProvider = ["openai-compatible", ...Object.keys(localServers), ...Object.keys(hosted)].includes(
      provider,
    );
    const name = isProvider ? rest : model;
    return openAICompatible(name, checkUrl(baseUrl), process.env.OPENAI_API_KEY);
  }
  // The name of a local model may have colons too.
  const [, provider = "", name = ""] = /^([^:]+):(.+)$/.exec(model) ?? [];
  if (name === "") {
    const problem =
      model === "" ? "No model was given" : `${JSON.stringify(model)} is not of the form provider:name`;
    throw new HoldfastError("invalid_input", `${problem}. ${choices}`);
  }
  const local = Object.hasOwn(localServers, provider) ? localServers[provider] : undefined;
  if (local !== undefined) return openAICompatible(name, local);
  const vendor = Object.hasOwn(hosted, provider) ? hosted[provider] : undefined;
  if (!vendor)
    throw new HoldfastError("invalid_input", `Unknown provider ${JSON.stringify(provider)}. ${choices}`);
  const create = await loadProvider(provider, vendor.package, load);
  return { model: create(name), label: `${provider}:${name}`, contextWindow: vendor.contextWindow };
}

function checkUrl(baseUrl: string): string {
  const protocol = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : "";
  if (protocol === "http:" || protocol === "https:") return dropTrailing(baseUrl, "/");
  throw new HoldfastError(
    "invalid_input",
    `${JSON.stringify(baseUrl)} is not an HTTP URL. Give --base-url as http://HOST:PORT/v1.`,
  );
}

function openAICompatible(name: string, baseURL: string, apiKey = ""): ChosenModel {
  if (name === "") throw new HoldfastError("invalid_input", `The model has no name. ${choices}`);
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL,
    includeUsage: true,
    fetch: (input, init) => fetchOrExplain(baseURL, input, init),
    ...(apiKey === "" ? {} : { apiKey }),
  });
  return { model: provider(name), label: `${name} at ${baseURL}`, contextWindow: localWindow };
}

/** Fails at once if the server is unreachable: the SDK's retries would look like thinking. */
async function fetchOrExplain(baseURL: string, ...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...request);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code !== "ECONNREFUSED" && code !== "ENOTFOUND" && code !== "EAI_AGAIN") throw error;
    throw new HoldfastError(
      "invalid_input",
      `No model server answers at ${baseURL} (${code}). Start it, or give another address with --base-url.`,
      { data: { baseURL, code } },
    );
  }
}

async function loadProvider(
  provider: string,
  packageName: string,
  load: (name: string) => Promise<unknown>,
): Promise<(name: string) => LanguageModel> {
  let loaded: unknown;
  try {
    loaded = await load(packageName);
  } catch (error) {
    throw new HoldfastError(
      "missing_dependency",
      `${provider} models need the package ${packageName}. Run: npm install ${packageName}`,
      { cause: error },
    );
  }
  const create = (loaded as Record<string, unknown>)[provider];
  if (typeof create === "function") return create as (name: string) => LanguageModel;
  throw new HoldfastError(
    "missing_dependency",
    `The package ${packageName} does not export "${provider}". Run: npm install ${packageName}@latest`,
  );
}

/** Why a turn failed, and what to do about it. */
export function describeFailure(error: unknown, label: string): string {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (LoadAPIKeyError.isInstance(cause)) {
    const variable = /\b[A-Z_]+_API_KEY\b/.exec(cause.message)?.[0] ?? "the provider's API key";
    return `There is no API key for ${label}. Set ${variable} and start again.`;
  }
  if (APICallError.isInstance(cause)) {
    const { statusCode, message } = cause;
    if (statusCode === undefined)
      return `${label} could not be reached (${message}). Check --base-url and the network.`;
    return `${label} answered ${statusCode}: ${message.replace(/\.$/, "")}. ${advice(statusCode)}`;
  }
  return cause instanceof Error ? cause.message : String(cause);
}

function advice(status: number): string {
  if (status === 401 || status === 403) return "Check the API key.";
  if (status === 404) return "Check the name in --model, and the path of --base-url (often /v1).";
  if (status === 429) return "Wait a moment and send it again.";
  if (status >= 500) return "The server failed; send it again later.";
  return "The conversation is intact; change the request and send it again.";
}
