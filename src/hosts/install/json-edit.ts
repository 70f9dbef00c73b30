import { createScanner, findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";

/*
 * Edits a JSON text without changing a byte outside the edited entry. The `modify` of jsonc-parser reformats the
 * neighbours as well.
 */

interface Token {
  start: number;
  end: number;
  isComma: boolean;
}

/** Sets a value: replaces it, or adds it at the end of the nearest existing container. */
export function setValue(text: string, path: JSONPath, value: unknown): string {
  const root = rootOf(text);
  const node = findNodeAtLocation(root, path);
  if (node) {
    const isOneLine = !text.slice(node.offset, endOf(node)).includes("\n");
    const fresh = isOneLine ? compact(value) : indented(value, text, indentAt(text, node.offset));
    return text.slice(0, node.offset) + fresh + text.slice(endOf(node));
  }
  for (let length = path.length - 1; length >= 0; length--) {
    const container = findNodeAtLocation(root, path.slice(0, length));
    const key = path[length];
    if (!container || key === undefined) continue;
    const nested = path.slice(length + 1).reduceRight((inner, step) => ({ [step]: inner }), value);
    return insert(text, container, typeof key === "string" ? `${JSON.stringify(key)}: ` : "", nested);
  }
  return text;
}

/** Removes an entry and its comma. */
export function removeValue(text: string, path: JSONPath): string {
  const value = findNodeAtLocation(rootOf(text), path);
  const entry = value?.parent?.type === "property" ? value.parent : value;
  const container = entry?.parent;
  if (!entry || !container) return text;
  const siblings = container.children ?? [];
  const previous = siblings[siblings.indexOf(entry) - 1];
  const after = tokensBetween(text, endOf(entry), endOf(container) - 1).find(({ isComma }) => isComma);
  const before =
    previous && !after
      ? tokensBetween(text, endOf(previous), entry.offset).find(({ isComma }) => isComma)
      : undefined;
  const head = text.slice(0, entry.offset).trimEnd();
  const start = before ? head.slice(0, before.start) + head.slice(before.end) : head;
  const rest = after
    ? text.slice(endOf(entry), after.start) + text.slice(after.end)
    : text.slice(endOf(entry));
  const isLast = siblings.length === 1 && /[{[]$/.test(start);
  return start + (isLast ? rest.replace(/^\s+(?=[}\]])/, "") : rest);
}

function insert(text: string, container: Node, label: string, value: unknown): string {
  const close = endOf(container) - 1;
  const last = container.children?.at(-1);
  const inside = tokensBetween(text, last ? endOf(last) : container.offset + 1, close);
  const at = inside.at(-1)?.end ?? (last ? endOf(last) : container.offset + 1);
  if (last) {
    const comma = inside.some(({ isComma }) => isComma) ? "" : ",";
    const isOneLine = !text.slice(container.offset, close).includes("\n");
    const indent = indentAt(text, last.offset);
    const fresh = isOneLine
      ? ` ${label}${compact(value)}`
      : eolOf(text) + indent + label + indented(value, text, indent);
    return text.slice(0, endOf(last)) + comma + text.slice(endOf(last), at) + fresh + text.slice(at);
  }
  const outer = indentAt(text, container.offset);
  const indent = outer + unitOf(text);
  const fresh = eolOf(text) + indent + label + indented(value, text, indent);
  return text.slice(0, at) + fresh + eolOf(text) + outer + text.slice(close);
}

/** Commas and comments between two offsets. */
function tokensBetween(text: string, from: number, to: number): Token[] {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  const tokens: Token[] = [];
  for (let kind = scanner.scan(); scanner.getTokenOffset() < to; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    if (end <= start) break;
    if (text.slice(start, end).trim() !== "") tokens.push({ start, end, isComma: kind === commaToken });
  }
  return tokens;
}

/** `SyntaxKind.CommaToken`: a const enum, which type stripping cannot inline. */
const commaToken = 5;

function rootOf(text: string): Node {
  return parseTree(text, [], { allowTrailingComma: true }) ?? { type: "object", offset: 0, length: 0 };
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The leading white space of the line at this offset. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** One level of the file's indentation. */
function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function indented(value: unknown, text: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

function compact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(compact).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${compact(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
