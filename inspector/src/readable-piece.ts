/** A piece is plain text or a JSON message; formats a message for reading. */
export function readablePiece(text: string, role: string): { title: string; body: string } {
  const body = linesOfMessage(text) ?? text;
  const line = body.slice(0, 400).replaceAll(/\s+/g, " ").trim();
  return { title: `${role}: ${line.length > 160 ? `${line.slice(0, 159).toWellFormed()}…` : line}`, body };
}

function linesOfMessage(text: string): string | undefined {
  if (!text.startsWith('{"role"')) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // A truncated piece is not valid JSON.
    return undefined;
  }
  const { content } = fieldsOf(message);
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(linesOfPart).join("\n\n") : undefined;
}

function linesOfPart(part: unknown): string {
  const { type, text, toolName, input, output } = fieldsOf(part);
  if (type === "tool-call") return `→ ${String(toolName)}(${JSON.stringify(input, null, 2)})`;
  if (type === "tool-result") {
    const { value } = fieldsOf(output);
    return `← ${String(toolName)}\n${typeof value === "string" ? value : JSON.stringify(value ?? output, null, 2)}`;
  }
  return typeof text === "string" ? text : JSON.stringify(part, null, 2);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
