import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { findExport, listExports } from "./exported-declarations.ts";

const root = join(import.meta.dirname, "..");

/** The purpose of each entry of the library. */
const purposes: Readonly<Record<string, string>> = {
  holdfast: "Memory and sessions in your own program: see [the quick start](../own-agent.md).",
  "holdfast/agent": "An agent with compaction: see [createAgent](../agent.md).",
  "holdfast/ai-sdk": "For an AI SDK agent: see [AI SDK](../ai-sdk.md).",
  "holdfast/langchain": "Middleware and a store: see [LangChain](../langchain.md).",
  "holdfast/mastra": "For Mastra agents: see [Mastra](../mastra.md).",
  "holdfast/openai-agents": "For the OpenAI Agents SDK: see [OpenAI](../openai.md#openai-agents-sdk).",
  "holdfast/claude-agent-sdk": "For the Claude Agent SDK: see [Anthropic](../anthropic.md#claude-agent-sdk).",
  "holdfast/openai": "Tools for OpenAI's client: see [OpenAI](../openai.md).",
  "holdfast/anthropic": "Tools for Anthropic's client: see [Anthropic](../anthropic.md).",
  "holdfast/knowledge":
    "Skills, state and prompts that outlive a session: see [Knowledge](../surfaces.md#knowledge).",
  "holdfast/project": "`NOTES.md` of a project: see [Project notes](../project.md).",
  "holdfast/sandbox": "Programs that the agent writes: see [Sandbox](../sandbox.md).",
  "holdfast/testing": "A scripted model and the suites for stores and drivers.",
};

const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
const sources = compilerOptions.paths as Readonly<Record<string, readonly [string]>>;

/** The library's entries. Plugins of hosts export nothing to call. */
export const entries = Object.keys(sources).filter((name) => listExports(sourceOf(name)).length > 0);

/** The pages of the TypeScript API by path, made from the sources' declarations and comments. */
export function apiPages(): Record<string, string> {
  const pages = entries.map((name): [string, string] => [pageOf(name), entryPage(name)]);
  return { "docs/api/README.md": index(), ...Object.fromEntries(pages) };
}

function pageOf(entry: string): string {
  return `docs/api/${entry.replace("holdfast/", "")}.md`;
}

function index(): string {
  const rows = entries.map((name) => {
    const names = listExports(sourceOf(name));
    const file = pageOf(name).slice("docs/api/".length);
    return `- [\`${name}\`](${file}): ${purposes[name] ?? ""} ${names.map((each) => `\`${each}\``).join(", ")}.`;
  });
  return `# TypeScript API

Generated from the sources with \`npm run generate\`. \`holdfast/pi\`, \`holdfast/opencode\`, \`holdfast/kilo\`
and \`holdfast/openclaw\` export a plugin for their coding agent and no functions: see [plugins](../hooks.md#plugins).

${rows.join("\n")}
`;
}

/** The source file of an entry, as the compiler resolves it. */
export function sourceOf(entry: string): string {
  const [path] = sources[entry] ?? [];
  if (path === undefined) throw new Error(`tsconfig.json has no path for ${entry}.`);
  return join(root, path);
}

function entryPage(entry: string): string {
  const source = sourceOf(entry);
  const parts = listExports(source).map((name) => {
    const { file, code, description, example } = findExport(source, name);
    const path = relative(root, file).replaceAll("\\", "/");
    return [
      `## \`${name}\``,
      description,
      fenced(code),
      example === "" ? "" : `Example:\n\n${fenced(example)}`,
      `Source: \`${path}\``,
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  });
  return `# \`${entry}\`\n\n${purposes[entry] ?? ""}\n\n${parts.join("\n\n")}\n`;
}

function fenced(code: string): string {
  return `\`\`\`typescript\n${code}\n\`\`\``;
}
