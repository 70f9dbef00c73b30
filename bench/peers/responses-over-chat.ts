/** OpenAI's Responses API in front of the scripted chat model, for a client that speaks nothing else. */

interface Item {
  type?: string;
  id?: string;
  role?: string;
  content?: unknown;
  name?: string;
  arguments?: string;
  call_id?: string;
  output?: unknown;
  encrypted_content?: string;
}

interface Body {
  model: string;
  instructions?: string;
  input?: string | Item[];
  tools?: { name: string; description?: string; parameters: unknown }[];
}

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

interface Completion {
  choices: { message: ChatMessage }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

export function responsesOverChat(url: string): typeof fetch {
  let number = 0;
  return async (target, init) => {
    const body = JSON.parse(String(init?.body)) as Body;
    const isCompaction = String(target).endsWith("/compact");
    const items =
      typeof body.input === "string" ? [{ role: "user", content: body.input }] : (body.input ?? []);
    const messages = [
      ...(body.instructions ? [{ role: "system", content: body.instructions }] : []),
      ...items.map(toChat),
      ...(isCompaction ? [{ role: "user", content: "Compact this conversation." }] : []),
    ];
    const tools = body.tools?.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }));
    const answer = await fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: body.model, messages, ...(tools?.length ? { tools } : {}) }),
    });
    if (!answer.ok) return answer;
    const { choices, usage } = (await answer.json()) as Completion;
    const id = `${++number}`;
    const message = choices[0]?.message ?? { role: "assistant", content: "" };
    return Response.json({
      id: `resp_${id}`,
      object: isCompaction ? "response.compaction" : "response",
      created_at: 0,
      status: "completed",
      model: body.model,
      output: isCompaction ? compacted(items, message, id) : outputOf(message, id),
      usage: {
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
        total_tokens: usage.total_tokens,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    });
  };
}

function toChat(item: Item): ChatMessage {
  if (item.type === "function_call")
    return {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: item.call_id ?? "", function: { name: item.name ?? "", arguments: item.arguments ?? "" } },
      ],
    };
  if (item.type === "function_call_output")
    return { role: "tool", tool_call_id: item.call_id ?? "", content: textOf(item.output) };
  if (item.type === "compaction")
    return {
      role: "assistant",
      content: Buffer.from(item.encrypted_content ?? "", "base64").toString("utf8"),
    };
  return { role: item.role ?? "user", content: textOf(item.content) };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? "");
  return content.map((part: { text?: string }) => part.text ?? "").join("\n");
}

function outputOf({ content, tool_calls: calls = [] }: ChatMessage, id: string): Item[] {
  const text = textOf(content ?? "");
  const said = text === "" || text === '""' ? [] : [message(text, id)];
  return [
    ...said,
    ...calls.map(({ id: call, function: { name, arguments: input } }) => ({
      id: `fc_${call}`,
      type: "function_call",
      status: "completed",
      call_id: call,
      name,
      arguments: input,
    })),
  ];
}

function message(text: string, id: string): Item & { status: string } {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

function compacted(items: readonly Item[], { content }: ChatMessage, id: string): Item[] {
  const encrypted_content = Buffer.from(textOf(content ?? "")).toString("base64");
  const said = items
    .filter(({ type = "message", role }) => type === "message" && role === "user")
    .map(({ content }, index) => ({
      id: `msg_user_${id}_${index}`,
      type: "message",
      role: "user",
      status: "completed",
      content: [{ type: "input_text", text: textOf(content) }],
    }));
  // The documentation has the user's messages before the item, but version 0.20 sends only what comes after it.
  return [{ id: `cmp_${id}`, type: "compaction", encrypted_content }, ...said];
}
