#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [first] = process.argv.slice(2);

enterDirectoryOfPerson();

// Node 22 warns about its experimental SQLite at every start; stderr is for failures.
const emitWarning = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
process.emitWarning = (...warning: unknown[]) => {
  if (warning[1] !== "ExperimentalWarning") emitWarning(...warning);
};

if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `holdfast needs Node 22.13 or newer, and this is ${process.versions.node}. Install a newer Node and run it again.`,
  );
  // A hook that cannot run must not stop the agent that called it.
  process.exitCode = first === "hook" ? 0 : 1;
} else if (first === "--version" || first === "-v") {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  console.log(version);
} else if (first === "hook" && !process.argv.some((word) => word === "--help" || word === "-h")) {
  // Agents wait for hooks, so import only the hook command.
  const { flushCompileCache } = process.getBuiltinModule("node:module");
  cacheCompiledCode();
  leaveDeletedDirectory();
  const { hook } = await import("./cli/commands/hook.ts");
  process.exitCode = await hook(process.argv.slice(3));
  // Exit here, with everything written: Node would take its time to free what it holds.
  flushCompileCache?.();
  process.exit();
} else {
  // Agents wait for the server as well.
  if (first === "mcp") cacheCompiledCode();
  // Import lazily: an old Node cannot parse it, and --version does not need it.
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
}

/**
 * `npm --prefix CHECKOUT run holdfast -- …` starts in the checkout, but means the directory the person is in. Programs
 * that this one starts must not follow the variable again.
 */
function enterDirectoryOfPerson(): void {
  const { npm_lifecycle_event: script, INIT_CWD: directory } = process.env;
  if (script !== "holdfast" || !directory) return;
  const checkout = process.getBuiltinModule("node:path").resolve(import.meta.dirname, "..");
  if (process.cwd() !== checkout) return;
  delete process.env.INIT_CWD;
  process.chdir(directory);
}

function cacheCompiledCode(): void {
  const { homedir } = process.getBuiltinModule("node:os");
  const cache =
    process.env.NODE_COMPILE_CACHE ?? `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/holdfast`;
  process.getBuiltinModule("node:module").enableCompileCache?.(cache);
}

/** An agent may delete the directory that it is in. Its hooks go on, in the folder that every path has. */
function leaveDeletedDirectory(): void {
  try {
    process.cwd();
  } catch {
    process.chdir(process.getBuiltinModule("node:path").parse(process.execPath).root);
  }
}

export {};
