/** One import: the importing file, and the imported file or module. */
export interface Import {
  from: string;
  to: string;
}

/** The folders in order of data flow. A folder imports only from the folders in its row. */
const allowed: Record<string, readonly string[]> = {
  errors: [],
  engine: ["errors"],
  "state-folder": [],
  secrets: ["errors", "engine"],
  stores: ["errors", "engine"],
  context: ["errors", "engine"],
  surfaces: ["errors", "engine", "secrets", "context", "state-folder"],
  sessions: ["errors", "engine", "secrets", "stores", "context", "surfaces"],
  compaction: ["errors", "engine", "secrets", "context", "surfaces"],
  index: ["errors", "engine", "secrets", "stores", "context", "surfaces", "sessions"],
  workspace: [
    "errors",
    "engine",
    "state-folder",
    "secrets",
    "stores",
    "context",
    "surfaces",
    "sessions",
    "compaction",
    "index",
  ],
  agent: ["errors", "engine", "secrets", "stores", "context", "surfaces", "sessions", "compaction"],
  adapters: [
    "errors",
    "engine",
    "secrets",
    "stores",
    "context",
    "surfaces",
    "sessions",
    "compaction",
    "agent",
    "index",
  ],
  mcp: ["errors", "engine", "secrets", "stores", "context", "surfaces", "sessions", "index", "workspace"],
  server: ["errors", "engine", "secrets", "stores", "context", "surfaces", "sessions", "index", "workspace"],
  hosts: [
    "errors",
    "engine",
    "state-folder",
    "secrets",
    "stores",
    "context",
    "surfaces",
    "sessions",
    "compaction",
    "index",
    "workspace",
  ],
  testing: [
    "errors",
    "engine",
    "secrets",
    "stores",
    "context",
    "surfaces",
    "sessions",
    "compaction",
    "index",
  ],
  cli: [
    "errors",
    "engine",
    "state-folder",
    "secrets",
    "stores",
    "context",
    "surfaces",
    "sessions",
    "compaction",
    "index",
    "workspace",
    "agent",
    "mcp",
    "server",
    "hosts",
    "testing",
  ],
};

/** Folders whose subfolders must not import from each other. */
const isolated = ["stores", "adapters"];

/** The subfolder that every adapter may use. */
const sharedByAdapters = "src/adapters/caller/";

/** Subfolders that every host uses; the others are hosts and must not import from each other. */
const sharedByHosts = ["hook", "install", "doctor", "plugin", "transcript", "opencode-family"];

/** Folders without Node modules, because the root entry is built from them. */
const withoutNode = [
  "errors",
  "engine",
  "secrets",
  "context",
  "surfaces",
  "sessions",
  "index",
  "compaction",
  "agent",
  "adapters",
];

/** Exceptions: surfaces that reach outside the session have separate entries. */
const withNode = [
  "src/surfaces/project/",
  "src/surfaces/sandbox/",
  "src/surfaces/knowledge/skill-folders.ts",
];
/** Part of the root entry too: opening a store by name imports its driver lazily. */
const portable = ["src/stores/store.ts", "src/stores/open-store.ts"];

/** Folders that import no packages. */
const withoutPackages = ["errors", "engine", "secrets", "compaction"];

export function findViolations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const folder = folderOf(from);
    const folders = allowed[folder];
    if (!folders) return [`${from}: the folder "${folder}" has no rule; add one to scripts/boundaries.ts`];
    if (to.startsWith("node:")) {
      const isPure = withoutNode.includes(folder) && !withNode.some((path) => from.startsWith(path));
      return isPure || portable.includes(from)
        ? [`${from} imports ${to}: ${folder} must not use Node's modules`]
        : [];
    }
    if (!to.startsWith("src/")) {
      return withoutPackages.includes(folder)
        ? [`${from} imports ${to}: ${folder} must not import packages`]
        : [];
    }
    const target = folderOf(to);
    if (target !== folder)
      return folders.includes(target) ? [] : [`${from} imports ${to}: ${folder} must not import ${target}`];
    return isIsolated(from, to)
      ? [`${from} imports ${to}: subfolders of ${folder} must not import from each other`]
      : [];
  });
}

/** Whether two files of one folder are in subfolders that must not import from each other. */
function isIsolated(from: string, to: string): boolean {
  const folder = folderOf(from);
  const [own, other] = [subfolderOf(from), subfolderOf(to)];
  if (other === "" || own === other) return false;
  if (folder === "hosts") {
    const isHost = (name: string) => name !== "" && !sharedByHosts.includes(name);
    return isHost(other) && from !== "src/hosts/hosts.ts";
  }
  return isolated.includes(folder) && own !== "" && !to.startsWith(sharedByAdapters);
}

/** Static imports: `import … from "x"`, `export … from "x"` and `import "x"`. */
export function readImports(from: string, text: string): string[] {
  const imports = text.matchAll(/^import\s+(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gm);
  const exports = text.matchAll(
    /^export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+["']([^"']+)["']/gm,
  );
  return [...imports, ...exports].map(([, specifier = ""]) => resolveFrom(from, specifier));
}

/** The calls that a plan may not make: files, processes, the network, a model, and every way of writing to a session. */
const sideEffects =
  /(?<![.\w])(?:(?:write|append|copy|rename|mkdir|rm|rmdir|unlink|chmod|open)\w*Sync|writeFile|spawn\w*|exec\w*|fetch|generateText|streamText|console\.\w+)\s*\(|\.(?:apply|change|commit|notify|dispatch)\s*\(/;

/** Other things that code without I/O does not touch: the clock, chance, the process and what is loaded at run time. */
const surroundings = /\b(?:Date\.now|Math\.random|process\.|setTimeout|setInterval|crypto\.)|\bimport\(/;

/** Folders in which nothing does I/O itself; what they need comes in through a port. */
const withoutSurroundings = ["engine", "secrets", "compaction"];

/** Functions called `plan…` that write, and files of pure folders that reach outside. */
export function findImpurities(path: string, text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
  const plans = [
    ...code.matchAll(/(?:function\s+|^\s+(?:async\s+)?)(plan(?:[A-Z]\w*)?)\s*(?:<[^>]*>)?\(/gm),
  ].flatMap(({ 1: name = "", index }) => {
    const [found] = sideEffects.exec(bodyFrom(code, index)) ?? [];
    return found ? [`${path}: ${name} calls ${found.trim()}…, and a plan does not write`] : [];
  });
  const [outside] = withoutSurroundings.includes(folderOf(path)) ? (surroundings.exec(code) ?? []) : [];
  return outside ? [...plans, `${path} uses ${outside}: ${folderOf(path)} has no I/O of its own`] : plans;
}

/** The text of a function from its name to the brace that ends it. */
function bodyFrom(code: string, start: number): string {
  const open = code.indexOf("{\n", start);
  let depth = 0;
  for (let at = open; at >= 0 && at < code.length; at++) {
    if (code[at] === "{") depth++;
    if (code[at] === "}" && --depth === 0) return code.slice(start, at);
  }
  return code.slice(start);
}

/** Whether a file of src is part of the program, not a test or test support. */
export function isSource(path: string): boolean {
  return !/\.(?:test|long|hosts)\.ts$|\/test-support\//.test(path);
}

/** The page runs in browsers: it may import only the API's types from src, and only preact from packages. */
export function findPageViolations(from: string, text: string): string[] {
  const typesOnly = new Set(
    [...text.matchAll(/^import\s+type\s[^;"']*?\sfrom\s+["']([^"']+)["']/gm)].map(([, specifier = ""]) =>
      resolveFrom(from, specifier),
    ),
  );
  return readImports(from, text)
    .filter((to) => !to.startsWith("inspector/") && !/^preact(\/|$)/.test(to))
    .filter((to) => !(to === "src/server/api.ts" && typesOnly.has(to)))
    .map((to) => `${from} imports ${to}: the page may import only the types of src/server/api.ts`);
}

function folderOf(path: string): string {
  const [, folder = ""] = path.split("/");
  return folder.replace(/\.ts$/, "");
}

/** The subfolder; "" for a file directly in the folder. */
function subfolderOf(path: string): string {
  const [, , name = ""] = path.split("/");
  return name.endsWith(".ts") ? "" : name;
}

function resolveFrom(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
