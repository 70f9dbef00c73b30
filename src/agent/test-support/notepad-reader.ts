import assert from "node:assert/strict";
import { compactedText, foldedText } from "../../compaction/notices.ts";
import { unfenceContent } from "../../context/fence.ts";
import { appendText, prependText, replaceText } from "../../engine/text.ts";
import { parseNotepad } from "../../index.ts";
import type { ScriptedRequest } from "../../testing/index.ts";

/**
 * Reconstructs the notepad from a request alone, as a model would: the copy in the system prompt, the changes that
 * follow, and the model's own calls since it last saw the notepad.
 */
export function readNotepadIn({ messages }: ScriptedRequest): string {
  const snapshot = parseNotepad(String(messages[0]?.content));
  assert.notEqual(snapshot, undefined, "there is no notepad in the system prompt");
  let shown = snapshot as string;
  let now = shown;
  for (const [index, { role, content, tool_calls = [] }] of messages.entries()) {
    if (role === "user") {
      const text = String(content);
      if (text.includes(compactedText) || text.includes(foldedText)) now = shown;
      for (const change of changesIn(text)) {
        shown = change(shown);
        now = shown;
      }
    }
    const answers = messages.slice(index + 1, index + 1 + tool_calls.length);
    for (const { id, function: called } of tool_calls) {
      const answer = String(answers.find(({ tool_call_id }) => tool_call_id === id)?.content);
      // A cleared result still tells the model that the call succeeded.
      if (/^\{"ok":true|^\[Result cleared: /.test(answer))
        now = applyCall(now, called.name, JSON.parse(called.arguments));
    }
  }
  return now;
}

const blocks =
  /\[Notepad changes; @N: [^\]]*\]\n(?<changes>[\s\S]*?)\n\[End of notepad changes\]|\[Notepad, full and current; [^\]]*\]\n(?<whole>[\s\S]*?)\n\[End of notepad\]|(?<empty>\[Notepad: now empty; [^\]]*\])/g;

function* changesIn(text: string): Generator<(shown: string) => string> {
  for (const { groups = {} } of text.matchAll(blocks)) {
    const { changes, whole } = groups;
    if (changes !== undefined) yield (shown) => patch(shown, changes);
    else yield () => (whole === undefined ? "" : unfenceContent(whole));
  }
}

function patch(shown: string, changes: string): string {
  const old = shown === "" ? [] : shown.split("\n");
  const lines: string[] = [];
  let at = 0;
  for (const change of changes.split("\n")) {
    const line = /^@(\d+)$/.exec(change)?.[1];
    if (line !== undefined) while (at < Number(line)) lines.push(old[at++] as string);
    else if (change.startsWith("+ ")) lines.push(unfenceContent(change.slice(2)));
    else {
      assert.ok(change.startsWith("- "), `not a line of a change: ${JSON.stringify(change)}`);
      assert.equal(unfenceContent(change.slice(2)), old[at++], "the removed line is not in the notepad");
    }
  }
  return [...lines, ...old.slice(at)].join("\n");
}

function applyCall(text: string, name: string, input: Record<string, string>): string {
  const { operation, content = "", find = "", replace = "" } = input;
  if (name === "write_notepad") return content;
  if (name !== "update_notepad") return text;
  if (operation === "append") return appendText(text, content);
  if (operation === "prepend") return prependText(text, content);
  if (operation === "delete") return replaceText(text, content, "", false);
  return replaceText(text, find, replace, input.replace_all as unknown as boolean);
}
