import type { ScriptedRequest } from "../../../src/testing/index.ts";
import { textOf, tokensIn, tokensOf } from "../request-text.ts";
import type { RunningSystem, Setting, System } from "../system.ts";

type Message = ScriptedRequest["messages"][number];

interface Choice {
  choices: { message: Message }[];
}

const compactAt = 0.8;
const keep = 0.25;

/** The smallest agent that compacts: a summary and the newest messages. It also goes on without a summary. */
export const noMemory: System = {
  name: "no memory",
  configuration: "a summary and the newest quarter of the window, at 80 % of the window",
  durability: "none: the conversation is in the process",
  isDurable: false,
  open: async (setting) => openAgent(setting),
};

function openAgent(setting: Setting): RunningSystem {
  const { url, window, tools, instructions } = setting;
  const offered = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  let head: Message[] = [{ role: "system", content: instructions }];
  let messages: Message[] = [];

  const ask = async (request: Message[], withTools = true): Promise<Message> => {
    const body = { model: "scripted", messages: request, ...(withTools ? { tools: offered } : {}) };
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
    const { choices } = (await response.json()) as Choice;
    if (!choices[0]) throw new Error("The model's answer has no choice.");
    return choices[0].message;
  };

  const compact = async () => {
    let first = messages.length - 1;
    let kept = 0;
    while (first > 0 && kept + tokensIn(textOf(messages[first] as Message)) <= window * keep)
      kept += tokensIn(textOf(messages[first--] as Message));
    // A result stays with its call.
    while (first < messages.length && messages[first]?.role === "tool") first++;
    const gone = messages.slice(0, first);
    if (gone.length === 0) return;
    const conversation = [...head.slice(1), ...gone].map(textOf).join("\n");
    const summary = await ask(
      [{ role: "user", content: `Summarise this conversation.\n\n${conversation}` }],
      false,
    ).then(textOf, () => "");
    messages = messages.slice(first);
    head = [{ role: "system", content: instructions }];
    if (summary !== "") head.push({ role: "user", content: summary });
  };

  return {
    async send(text) {
      messages.push({ role: "user", content: text });
      for (;;) {
        const next = () => ({ model: "", messages: [...head, ...messages], tools: offered });
        if (tokensOf(next()) > window * compactAt) await compact();
        const answer = await ask(next().messages);
        messages.push(answer);
        if (!answer.tool_calls?.length) return;
        for (const { id, function: call } of answer.tool_calls) {
          const tool = tools.find(({ name }) => name === call.name);
          const content = tool
            ? await tool.execute(JSON.parse(call.arguments))
            : `There is no tool ${call.name}.`;
          messages.push({ role: "tool", tool_call_id: id, content });
        }
      }
    },
    close: async () => {},
  };
}
