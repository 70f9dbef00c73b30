/** What the example uses of the SDK, which is not installed with this repository: its program takes 370 MB. */
declare module "@anthropic-ai/claude-agent-sdk" {
  export function query(call: {
    prompt: string;
    options: object;
  }): AsyncIterable<{ type: string; result?: string }>;
}
