import { parseSync } from "oxc-parser";

/** A regular expression in a source file. */
export interface FoundPattern {
  path: string;
  line: number;
  /** Undefined for `new RegExp(…)` with anything but literal text. */
  pattern: { source: string; flags: string } | undefined;
  /** Used to split a text, which applies it again after every match. */
  splits: boolean;
}

interface Node {
  type?: string;
  start?: number;
  regex?: { pattern: string; flags: string };
  callee?: { type?: string; name?: string; property?: { name?: string } };
  arguments?: { type?: string; value?: unknown }[];
  [key: string]: unknown;
}

/** Every regular expression of a source file, wherever it is written. */
export function findPatterns(path: string, text: string): FoundPattern[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const found: FoundPattern[] = [];
  const visit = (node: Node, parent: Node | undefined): void => {
    const line = () => text.slice(0, node.start ?? 0).split("\n").length;
    if (node.regex) {
      const { pattern, flags } = node.regex;
      const splits = parent?.type === "CallExpression" && parent.callee?.property?.name === "split";
      found.push({ path, line: line(), pattern: { source: pattern, flags }, splits });
    } else if (/^(?:New|Call)Expression$/.test(node.type ?? "") && node.callee?.name === "RegExp") {
      const [source, flags] = node.arguments ?? [];
      const isLiteral = typeof source?.value === "string" && (!flags || typeof flags.value === "string");
      const pattern = isLiteral
        ? { source: String(source.value), flags: String(flags?.value ?? "") }
        : undefined;
      found.push({ path, line: line(), pattern, splits: false });
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, node);
  };
  visit(program as unknown as Node, undefined);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
