import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createAgentSession,
  createExtensionRuntime,
  ModelRuntime,
  type ResourceLoader,
  SessionManager,
  SettingsManager,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import type { Setting, SpeedSubject, System } from "../survival/system.ts";

/** pi's SDK with automatic compaction, without its coding tools: the story has its own. */
export const system: System = {
  name: "pi's compaction",
  package: "@earendil-works/pi-coding-agent",
  configuration: "createAgentSession; compaction enabled, reserve 20 % of the window, keep 25 %",
  durability: "JSONL session file, appended without fsync",
  isDurable: true,
  async open(setting) {
    const { window, directory, durable } = setting;
    const agentDir = join(directory, "pi");
    mkdirSync(agentDir, { recursive: true });
    const modelRuntime = await ModelRuntime.create({
      authPath: join(agentDir, "auth.json"),
      modelsPath: writeModels(agentDir, setting),
    });
    const model = modelRuntime.getModel("scripted", "scripted");
    if (!model) throw new Error("pi does not know the scripted model.");
    const { session } = await createAgentSession({
      cwd: directory,
      agentDir,
      model,
      thinkingLevel: "off",
      modelRuntime,
      resourceLoader: loaderFor(setting),
      noTools: "builtin",
      customTools: toolsFor(setting),
      sessionManager: durable
        ? SessionManager.continueRecent(directory, join(directory, "sessions"))
        : SessionManager.inMemory(directory),
      settingsManager: SettingsManager.inMemory({
        compaction: {
          enabled: true,
          reserveTokens: Math.floor(window * 0.2),
          keepRecentTokens: Math.floor(window * 0.25),
        },
        retry: { enabled: false },
      }),
    });
    return {
      async send(text) {
        await session.prompt(text);
        await session.waitForIdle();
        const last = session.messages.at(-1);
        if (last && "errorMessage" in last && last.errorMessage) throw new Error(last.errorMessage);
      },
      close: async () => session.dispose(),
    };
  },
  openStore,
};

async function openStore(directory: string): Promise<SpeedSubject> {
  const manager = SessionManager.continueRecent(directory, join(directory, "sessions"));
  return {
    durability: "JSONL, appended without fsync",
    edit: async (number) =>
      manager.appendMessage({
        ...(number % 2 === 0 ? { role: "user" as const } : { ...answered }),
        content: [{ type: "text", text: `- note ${number}` }],
        timestamp: 0,
      }),
    read: async () => manager.buildSessionContext(),
    reopen: () => openStore(directory),
    close: async () => {},
  };
}

/** pi writes the file once the model has answered. */
const answered = {
  role: "assistant",
  api: "openai-completions",
  provider: "scripted",
  model: "scripted",
  stopReason: "stop",
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
} as const;

function writeModels(agentDir: string, { url, window }: Setting): string {
  const path = join(agentDir, "models.json");
  const model = { id: "scripted", contextWindow: window, maxTokens: Math.floor(window / 8) };
  const provider = { baseUrl: url, api: "openai-completions", apiKey: "none", models: [model] };
  writeFileSync(path, JSON.stringify({ providers: { scripted: provider } }));
  return path;
}

function toolsFor({ tools }: Setting): ToolDefinition[] {
  return tools.map(({ name, description, parameters, execute }) => ({
    name,
    label: name,
    description,
    // pi validates TypeBox schemas, which are JSON Schema.
    parameters: parameters as unknown as ToolDefinition["parameters"],
    execute: async (_id: string, input: unknown) => ({
      content: [{ type: "text" as const, text: await execute(input as Record<string, string>) }],
      details: undefined,
    }),
  }));
}

function loaderFor({ instructions }: Setting): ResourceLoader {
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime: createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => instructions,
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => {},
    reload: async () => {},
  };
}
