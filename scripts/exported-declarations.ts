import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ClassElement, type Comment, parseSync, type Statement } from "oxc-parser";

/** A declaration that a file exports, for the reference. */
export interface Declared {
  file: string;
  /** Without bodies and private members. */
  code: string;
  description: string;
  example: string;
}

/** Where a name of a file comes from. */
type Origin = { from: string; name: string } | { node: Statement; start: number };

interface Parsed {
  text: string;
  comments: readonly Comment[];
  exported: Map<string, Origin>;
  local: Map<string, Origin>;
}

const parsed = new Map<string, Parsed>();

/** The names that a file exports: functions and values, then classes and types. */
export function listExports(file: string): string[] {
  const names = [...parse(file).exported.keys()].filter((name) => name !== "default").toSorted();
  const isValue = (name: string) => /^[a-z]/.test(name);
  return [...names.filter(isValue), ...names.filter((name) => !isValue(name))];
}

/** Follows an exported name to its declaration. */
export function findExport(file: string, name: string): Declared {
  const known = parse(file);
  const origin = known.exported.get(name) ?? known.local.get(name);
  if (!origin) throw new Error(`${file} does not declare ${name}.`);
  if ("from" in origin) return findExport(join(dirname(file), origin.from), origin.name);
  const { description, example } = readComment(commentBefore(known, origin.start));
  return { file, code: codeOf(known, origin.node), description, example };
}

function parse(file: string): Parsed {
  const before = parsed.get(file);
  if (before) return before;
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const made: Parsed = { text, comments, exported: new Map(), local: new Map() };
  parsed.set(file, made);
  for (const statement of program.body) takeStatement(made, statement);
  return made;
}

function takeStatement({ exported, local }: Parsed, statement: Statement): void {
  if (statement.type === "ImportDeclaration") {
    for (const specifier of statement.specifiers) {
      const name = specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : "default";
      local.set(specifier.local.name, { from: statement.source.value, name });
    }
    return;
  }
  if (statement.type !== "ExportNamedDeclaration") {
    for (const name of declaredNames(statement)) local.set(name, { node: statement, start: statement.start });
    return;
  }
  const { declaration, specifiers, source, start } = statement;
  if (declaration)
    for (const name of declaredNames(declaration)) exported.set(name, { node: declaration, start });
  for (const { local: inner, exported: outer } of specifiers) {
    const known = source ? { from: source.value, name: nameOf(inner) } : local.get(nameOf(inner));
    if (known) exported.set(nameOf(outer), known);
  }
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.name ?? String(node.value);
}

function declaredNames(node: Statement): string[] {
  switch (node.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [node.id.name] : [];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return [node.id.name];
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
    default:
      return [];
  }
}

/** Longer values say little in a reference. */
const maxValue = 400;

function codeOf(known: Parsed, node: Statement): string {
  const { text } = known;
  const whole = text.slice(node.start, node.end);
  switch (node.type) {
    case "FunctionDeclaration":
      return `${text
        .slice(node.start, node.body?.start ?? node.end)
        .replace(/^async /, "")
        .trimEnd()};`;
    case "ClassDeclaration": {
      const members = node.body.body.flatMap((member) => memberOf(known, member));
      return `${text.slice(node.start, node.body.start).trimEnd()} {\n${members.join("\n")}\n}`;
    }
    case "VariableDeclaration": {
      const [first] = node.declarations;
      if (whole.length <= maxValue || !first) return whole;
      return `const ${text.slice(first.id.start, first.id.end)};`;
    }
    default:
      return whole;
  }
}

/** A public member of a class with its comment, without its body. */
function memberOf(known: Parsed, member: ClassElement): string[] {
  if (member.type !== "MethodDefinition" && member.type !== "PropertyDefinition") return [];
  const { key } = member;
  if (key.type === "PrivateIdentifier" || (key.type === "Identifier" && key.name === "constructor"))
    return [];
  const isMethod = member.type === "MethodDefinition";
  const end = isMethod ? (member.value.body?.start ?? member.end) : (member.value?.start ?? member.end);
  const code = known.text
    .slice(member.start, end)
    .trimEnd()
    .replace(/\s*=$/, "")
    .replace(/^async /, "")
    .replace(/;$/, "");
  const comment = commentBefore(known, member.start);
  return [...(comment ? [`  ${known.text.slice(comment.start, comment.end)}`] : []), `  ${code};`];
}

/** The documentation comment that ends directly before a position. */
function commentBefore({ text, comments }: Parsed, start: number): Comment | undefined {
  return comments.findLast(
    ({ type, value, end }) =>
      type === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "",
  );
}

function readComment(comment: Comment | undefined): { description: string; example: string } {
  const lines = (comment?.value ?? "")
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  const whole = lines.join("\n").trim();
  const [description = "", example = ""] = whole.split(/\n?@example\s*/);
  return { description: description.trim(), example: example.trim() };
}
