import assert from "node:assert/strict";
import { compactedText, refreshedText } from "../../compaction/warning.ts";
import { appendText, prependText, replaceText } from "../../engine/text.ts";
import { parseNotepad } from "../../index.ts";
import type { ScriptedRequest } from "../../testing/index.ts";

/**
 * Reconstructs the notepad from a request alone, as a model would: the copy in the system prompt, the copies
 * that follow, and the model's own calls since it last saw the notepad.
 */
export function readNotepadIn({ messages }: ScriptedRequest): string {
  const snapshot = parseNotepad(String(messages[0]?.content));
  assert.notEqual(snapshot, undefined, "there is no notepad in the system prompt");
  let shown = snapshot as string;
  let now = shown;
  for (const [index, { role, content, tool_calls = [] }] of messages.entries()) {
    if (role === "user" || role === "tool") {
      const text = String(content);
      if (text.includes(compactedText) || text.includes(refreshedText)) now = shown;
      for (const copy of copiesIn(text)) {
        shown = copy;
        now = copy;
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

const copies =
  /\[Notepad, full and current; [^\]]*\]\n(?:\[Origin of the notepad: [^\n]*\]\n\n)?(?<whole>[\s\S]*?)\n\[End of notepad\]|\[Notepad: now empty; [^\]]*\]/g;

function copiesIn(text: string): string[] {
  return [...text.matchAll(copies)].map(({ groups }) =>
    groups?.whole === undefined ? "" : (parseNotepad(`## Session Notepad\n${groups.whole}`) ?? ""),
  );
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
