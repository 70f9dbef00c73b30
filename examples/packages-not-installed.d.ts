/** The parts that the examples use of packages too large to install with this repository. */
declare module "@anthropic-ai/claude-agent-sdk" {
  export function query(call: {
    prompt: string;
    options: object;
  }): AsyncIterable<{ type: string; result?: string }>;
}

declare module "@mastra/core/agent" {
  export class Agent {
    constructor(config: {
      id: string;
      name: string;
      instructions: string;
      model: object;
      tools: object;
      inputProcessors: object[];
      memory: object;
    });
    generate(
      prompt: string,
      options: { memory: { thread: string; resource: string } },
    ): Promise<{ text: string }>;
  }
}

declare module "@mastra/memory" {
  export class Memory {
    constructor(config: { storage: object; options: { lastMessages: number } });
  }
}

declare module "@mastra/libsql" {
  export class LibSQLStore {
    constructor(config: { id: string; url: string });
  }
}
