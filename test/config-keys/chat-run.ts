import { estimateTokens } from "../../src/index.ts";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../src/testing/index.ts";
import { type Evidence, runIn } from "./run.ts";

export interface ChatRun {
  script: (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>;
  input: string[];
  args?: string[];
  env?: Record<string, string>;
  sweeps?: boolean;
}

export interface ChatEvidence extends Evidence {
  /** The output of `chat --json`. */
  // biome-ignore lint/suspicious/noExplicitAny: the cases look at what the command prints
  events: any[];
}

/** A chat with a scripted model, which reports usage as a provider would. */
export async function chatRun(
  root: string,
  { script, input, args = [], env = {}, sweeps = false }: ChatRun,
): Promise<ChatEvidence> {
  const server = await startScriptedServer(async (request, number) => {
    const answer = await script(request, number);
    const tokens = estimateTokens(JSON.stringify([request.messages, request.tools]));
    return "status" in answer || "hangUp" in answer
      ? answer
      : { usage: { input: tokens, output: 20 }, ...answer };
  });
  try {
    const run = await runIn("chat", root, {
      args: ["--base-url", server.url, "--model", "scripted", ...args],
      input,
      env,
      sweeps,
    });
    const events = run.output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    return { ...run, events, requests: [...server.requests] };
  } finally {
    await server.close();
  }
}
