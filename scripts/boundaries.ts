/** One import: the file it stands in, and the file or module it names. */
export interface Import {
  from: string;
  to: string;
}

/** Which rooms each room may import from. A room that is not listed here is a finding. */
const allowed: Record<string, readonly string[]> = {
  errors: [],
  engine: ["errors"],
  stores: ["errors", "engine"],
  context: ["errors", "engine"],
  sessions: ["errors", "engine", "stores"],
  tools: ["errors", "engine", "context", "sessions"],
  index: ["errors", "engine", "stores", "context", "sessions", "tools"],
  controller: ["errors", "engine", "stores", "context", "sessions", "tools"],
  adapters: ["errors", "engine", "stores", "context", "sessions", "tools", "controller", "index"],
  knowledge: ["errors", "engine", "context", "sessions", "tools"],
  project: ["errors", "engine", "context", "sessions", "tools"],
  sandbox: ["errors", "engine", "context", "sessions", "tools"],
  mcp: ["errors", "engine", "stores", "context", "sessions", "tools", "index"],
  server: ["errors", "engine", "stores", "context", "sessions", "tools", "index", "project"],
  hosts: ["errors", "engine", "stores", "context", "sessions", "tools", "controller", "index", "project"],
  testing: ["errors", "engine", "stores", "context", "sessions", "tools", "index"],
  cli: [
    "errors",
    "engine",
    "stores",
    "context",
    "sessions",
    "tools",
    "controller",
    "index",
    "knowledge",
    "project",
    "sandbox",
    "mcp",
    "server",
    "hosts",
    "replay",
    "testing",
  ],
  replay: ["errors", "engine", "context", "sessions", "controller", "hosts"],
};

/** Rooms whose files may not use Node's own modules, because the root entry is built from them. */
const withoutNode = [
  "errors",
  "engine",
  "context",
  "sessions",
  "tools",
  "index",
  "controller",
  "adapters",
  "replay",
];

/** Drivers may use Node; what opens them by name may not, or every program would pay for all of them. */
const portable = ["src/stores/store.ts", "src/stores/open-store.ts"];

export function findViolations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const room = roomOf(from);
    const rooms = allowed[room];
    if (!rooms) return [`${from}: the room "${room}" has no rule; add one`];
    if (to.startsWith("node:")) {
      const pure = withoutNode.includes(room) || portable.includes(from);
      return pure ? [`${from} imports ${to}: ${room} is free of Node's modules`] : [];
    }
    if (!to.startsWith("src/")) {
      return room === "engine" || room === "errors"
        ? [`${from} imports ${to}: ${room} imports nothing from outside`]
        : [];
    }
    const target = roomOf(to);
    return target === room || rooms.includes(target)
      ? []
      : [`${from} imports ${to}: ${room} may not import ${target}`];
  });
}

/** Imports of the form `import … from "x"`, `export … from "x"` and `import "x"`; not those made at run time. */
export function readImports(from: string, text: string): string[] {
  const imports = text.matchAll(/^import\s+(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gm);
  const exports = text.matchAll(
    /^export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+["']([^"']+)["']/gm,
  );
  return [...imports, ...exports].map(([, specifier = ""]) => resolveFrom(from, specifier));
}

/** The page is bundled for browsers: from the program it may take the API's types, and from outside only preact. */
export function findPageViolations(from: string, text: string): string[] {
  const typesOnly = new Set(
    [...text.matchAll(/^import\s+type\s[^;"']*?\sfrom\s+["']([^"']+)["']/gm)].map(([, specifier = ""]) =>
      resolveFrom(from, specifier),
    ),
  );
  return readImports(from, text)
    .filter((to) => !to.startsWith("inspector/") && !/^preact(\/|$)/.test(to))
    .filter((to) => !(to === "src/server/api.ts" && typesOnly.has(to)))
    .map((to) => `${from} imports ${to}: the page takes only the types of src/server/api.ts`);
}

function roomOf(path: string): string {
  const [, room = ""] = path.split("/");
  return room.replace(/\.ts$/, "");
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
