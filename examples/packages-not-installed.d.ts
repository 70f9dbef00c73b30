/** What the examples use of packages that are too large to be installed with this repository. */
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
    });
    generate(prompt: string): Promise<{ text: string }>;
  }
}
