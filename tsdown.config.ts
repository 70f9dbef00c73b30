import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";
import page from "./inspector/tsdown.config.ts";

const common: UserConfig = {
  format: "esm",
  platform: "node",
  target: "node22.13",
  fixedExtension: false,
  // Some packages have their ES modules only there, and their main file cannot be built in.
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
};

/** Agents wait for their hooks, so the hook is built on its own: it shares no file with what loads slowly. */
const hookApart = {
  name: "hook-apart",
  resolveId: (source: string) =>
    /\/hook\.ts$/.test(source) ? { id: "./hook.js", external: true as const } : undefined,
};

/** Agents wait for the MCP server too, so it is built with the two packages that it loads. */
const mcpApart = {
  name: "mcp-apart",
  resolveId: (source: string) =>
    /\/commands\/mcp\.ts$/.test(source) ? { id: "./mcp.js", external: true as const } : undefined,
};

const library = defineConfig({
  ...common,
  // The types of a parsed NOTES.md.
  deps: { onlyBundle: ["@types/mdast", "@types/unist"] },
  plugins: [hookApart, mcpApart],
  entry: {
    index: "src/index.ts",
    cli: "src/cli.ts",
    agent: "src/agent/index.ts",
    "ai-sdk": "src/adapters/ai-sdk/index.ts",
    anthropic: "src/adapters/anthropic/index.ts",
    "openai-agents": "src/adapters/openai-agents/index.ts",
    openai: "src/adapters/openai/index.ts",
    "claude-agent-sdk": "src/hosts/claude-code/agent-sdk/index.ts",
    langchain: "src/adapters/langchain/index.ts",
    mastra: "src/adapters/mastra/index.ts",
    knowledge: "src/surfaces/knowledge/index.ts",
    project: "src/surfaces/project/index.ts",
    sandbox: "src/surfaces/sandbox/index.ts",
    "sandbox-worker": "src/surfaces/sandbox/worker.ts",
    testing: "src/testing/index.ts",
    pi: "src/hosts/pi/index.ts",
    opencode: "src/hosts/opencode/index.ts",
    kilo: "src/hosts/kilo/index.ts",
    openclaw: "src/hosts/openclaw/index.ts",
  },
  dts: true,
  clean: true,
});

/** Only commands load a host's setup, from the library's files. */
const setupApart = {
  name: "setup-apart",
  resolveId: (source: string) =>
    /\/setup\.ts$/.test(source) ? { id: "./cli.js", external: true as const } : undefined,
};

/**
 * An import of a built-in module reads each of its exports; for node:fs that loads Node's streams, which takes as long as
 * opening a database. This takes only what is used.
 */
const leanBuiltins = {
  name: "lean-builtins",
  renderChunk: (code: string) =>
    code.replaceAll(
      /^import\s*\{([^}]*)\}\s*from\s*["'](node:[\w/]+)["'];?/gm,
      (_, names: string, module: string) =>
        `const {${names.replaceAll(" as ", ": ")}} = process.getBuiltinModule("${module}");`,
    ),
};

/**
 * A module that is loaded later, out of a file that is loaded anyway, would need an object of its exports, and with it a
 * file that makes such objects.
 */
const sqliteByName = {
  name: "sqlite-by-name",
  resolveId: (source: string, importer: string | undefined) =>
    source === "./sqlite/sqlite.ts" && importer?.endsWith("open-store.ts") ? "\0sqlite" : undefined,
  load: (id: string) =>
    id === "\0sqlite"
      ? `export { sqliteStore } from ${JSON.stringify(join(import.meta.dirname, "src/stores/sqlite/sqlite.ts"))}`
      : undefined,
};

export const hook = defineConfig({
  ...common,
  deps: { onlyBundle: [] },
  plugins: [setupApart, sqliteByName, leanBuiltins],
  entry: { hook: "src/cli/commands/hook.ts" },
  minify: true,
  dts: false,
  clean: false,
  // One file with all that a hook imports: Node takes longer to find 100 small files than to load their code.
  outputOptions: {
    codeSplitting: {
      groups: [{ name: "hook-core", test: /\/src\/cli\/commands\/hook\.ts$/ }],
    },
  },
});

/** Their licenses ask to be kept with the code. */
const licenses = ["zod", "@modelcontextprotocol/server"]
  .map((name) => {
    const text = readFileSync(join(import.meta.dirname, "node_modules", name, "LICENSE"), "utf8");
    return `/*! ${name}\n${text.trim().replaceAll("*/", "* /")}\n*/`;
  })
  .join("\n");

/** Our server never asks a client for an answer with a schema, which is what the SDK loads its validator for. */
const withoutValidator = {
  name: "without-validator",
  resolveId: (source: string) => (source === "@modelcontextprotocol/server/_shims" ? "\0shims" : undefined),
  load: (id: string) =>
    id === "\0shims"
      ? `export const process = globalThis.process; export class DefaultJsonSchemaValidator {}`
      : undefined,
};

const mcp = defineConfig({
  ...common,
  deps: { alwaysBundle: [/^zod/, /^@modelcontextprotocol\//], onlyBundle: false },
  plugins: [setupApart, withoutValidator, leanBuiltins],
  entry: { mcp: "src/cli/commands/mcp.ts" },
  minify: true,
  dts: false,
  clean: false,
  // One file with all that the first answer needs: Node takes longer to find 50 small files than to load their code.
  outputOptions: {
    codeSplitting: {
      groups: [{ name: "mcp-core", test: /\/src\/(?:cli\/commands\/mcp|mcp\/serve-stdio)\.ts$/ }],
    },
  },
  banner: ({ fileName }: { fileName: string }) => (fileName === "mcp.js" ? licenses : ""),
});

export default [library, hook, mcp, page];
