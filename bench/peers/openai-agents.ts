import {
  Agent,
  MemorySession,
  OpenAIResponsesCompactionSession,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import type { SpeedSubject, System } from "../survival/system.ts";
import { responsesOverChat } from "./responses-over-chat.ts";

const charactersPerToken = 4;

/**
 * As in the guide to sessions: OpenAIResponsesCompactionSession around the default in-memory session. The endpoint
 * `responses/compact` is scripted as its documentation describes it: the user's messages stay as they are, and one
 * opaque item, here the scripted summary, replaces everything else.
 */
export const system: System = {
  name: "OpenAI Agents sessions with compaction",
  package: "@openai/agents",
  configuration:
    "OpenAIResponsesCompactionSession over MemorySession, compactionMode input, shouldTriggerCompaction at 60 % of the window",
  durability:
    "none in the package: MemorySession is in the process, the other session is on OpenAI's servers",
  isDurable: false,
  async open({ url, window, tools, instructions }) {
    setTracingDisabled(true);
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0, fetch: responsesOverChat(url) });
    const agent = new Agent({
      name: "story",
      instructions,
      model: new OpenAIResponsesModel(client, "gpt-5.2"),
      tools: tools.map(({ name, description, parameters, execute }) =>
        tool({
          name,
          description,
          strict: true,
          parameters: { ...parameters, additionalProperties: false },
          execute: async (input) => execute(input as Record<string, string>),
        }),
      ),
    });
    const session = new OpenAIResponsesCompactionSession({
      client,
      model: "gpt-5.2",
      compactionMode: "input",
      shouldTriggerCompaction: ({ sessionItems }) =>
        JSON.stringify(sessionItems).length / charactersPerToken > window * 0.6,
    });
    return {
      send: async (text) => void (await run(agent, text, { session, maxTurns: 500 })),
      close: async () => {},
    };
  },
  async openStore(): Promise<SpeedSubject> {
    const session = new MemorySession();
    return {
      durability: "none: in the process",
      edit: (number) => session.addItems([{ type: "message", role: "user", content: `- note ${number}` }]),
      read: () => session.getItems(),
      close: async () => {},
    };
  },
};
