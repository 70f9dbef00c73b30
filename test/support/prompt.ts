import assert from "node:assert/strict";
import { warningText } from "../../src/compaction/warning.ts";
import type { ScriptedRequest } from "../../src/testing/index.ts";

type Message = ScriptedRequest["messages"][number];

/** The invariants of every request. */
export function assertValidPrompt({ messages }: ScriptedRequest): void {
  assert.equal(messages[0]?.role, "system", "the first message is the system prompt");
  assert.ok(
    messages
      .slice(1)
      .every(
        ({ role, content }) => role !== "system" || String(content).startsWith("[System prompt and skills"),
      ),
    "there is one system prompt, and labelled changes of it",
  );
  assertPaired(messages);
  // Messages of failures are written only if there is one: each shows the whole prompt.
  const fail = (what: string) =>
    assert.fail(`${what}\n${JSON.stringify(messages, null, 1).slice(0, 20_000)}`);
  if (messages.at(-1)?.role === "assistant") fail("the prompt ends with an assistant message");
  for (const { role, content, tool_calls } of messages)
    if (!tool_calls?.length && (typeof content !== "string" || content === ""))
      fail(`an empty ${role} message`);
  const whole = messages.map(({ content }) => String(content ?? "")).join("\n");
  // A request for a summary in place has the handoff of the last compaction, and the one that will be shown with the summary.
  const handoffs = whole.includes("You write the summary") ? [] : ["\n[Handoff: the conversation"];
  for (const once of [warningText, "\n## Session Notepad\n", ...handoffs, "[Receipt: "])
    if (whole.split(once).length > 2) fail(`${JSON.stringify(once)} appears more than once`);
}

/** Every call has exactly one result, right after it, and every result has a call. */
function assertPaired(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const [index, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === "tool") {
      assert.ok(
        open.delete(tool_call_id ?? ""),
        `message ${index} answers ${tool_call_id}, which is not open`,
      );
      continue;
    }
    assert.equal(open.size, 0, `message ${index} (${role}) comes before every call was answered`);
    open = new Set((tool_calls ?? []).map(({ id }) => id));
  }
  assert.deepEqual([...open], [], "the prompt ends with unanswered calls");
}

/** The summary that starts an epoch; "" for the first epoch. */
export function epochOf({ messages }: ScriptedRequest): string {
  const first = String(messages[1]?.content);
  return first.startsWith("[Summary of the conversation so far]") ? first : "";
}

/** The first write takes the hint of an empty notepad out of the system prompt. */
function isFirstWrite(earlier: ScriptedRequest, later: ScriptedRequest): boolean {
  const hasHint = ({ messages }: ScriptedRequest) =>
    /\n\(empty — use write_notepad[^\n]*$/.test(String(messages[0]?.content));
  return hasHint(earlier) && !hasHint(later);
}

/** Asserts that within an epoch a prompt only grows at its end; reports the first byte that differs. */
export function assertPrefixes(requests: readonly ScriptedRequest[]): number {
  let compared = 0;
  for (const [index, later] of requests.entries()) {
    const earlier = requests[index - 1];
    if (!earlier || epochOf(earlier) !== epochOf(later) || isFirstWrite(earlier, later)) continue;
    const [before, after] = [earlier, later].map(({ messages }) => JSON.stringify(messages).slice(0, -1)) as [
      string,
      string,
    ];
    if (!after.startsWith(before)) {
      let at = 0;
      while (before[at] === after[at]) at++;
      assert.fail(
        `request ${index} differs from the one before it at byte ${at}:\n…${before.slice(Math.max(0, at - 200), at + 200)}\n--- became ---\n…${after.slice(Math.max(0, at - 200), at + 200)}`,
      );
    }
    compared++;
  }
  return compared;
}
