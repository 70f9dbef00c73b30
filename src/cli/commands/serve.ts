import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { earlierSession } from "../../hosts/earlier-sessions.ts";
import { createMcpHandler } from "../../mcp/http-handler.ts";
import { chooseAccess } from "../../server/listen.ts";
import { pageFiles } from "../../server/page.ts";
import { projectNotes } from "../../server/project-files.ts";
import { type RunningServer, startServer } from "../../server/start.ts";
import { checkId } from "../../sessions/options.ts";
import { stateFolder } from "../../state-folder.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/chosen-surfaces.ts";
import { limitsOf, offers, projectOptionsOf } from "../../workspace/config.ts";
import { requireValid } from "../../workspace/config-file.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { packageVersion } from "../../workspace/package.ts";
import { readRegularFile, readSmallFile } from "../../workspace/small-file.ts";
import { type StoreFlags, storeName } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { hostSessions } from "../host-sessions.ts";
import { printLines, screenOf } from "../terminal/screen.ts";
import { homePath } from "../terminal/visible-text.ts";

/** The demo opens on its running session. */
const demoPlace = "#/audit/window";

/** Serves the inspector, its API and the MCP endpoint until a signal stops it. */
export async function serve(args: string[]): Promise<number> {
  const { values } = readArguments("serve", args);
  if (values.token !== undefined && values["token-file"] !== undefined)
    throw new HoldfastError("invalid_input", "Give either --token or --token-file, not both.");
  const binding = {
    port: readPort(values.port),
    host: values.host,
    token: values.token ?? ownToken(values["token-file"]),
  };
  // Reject invalid options, and report a missing package, before opening a store.
  const scripted = values.demo ? await import("../demo/demo.ts") : undefined;
  const { hosts } = chooseAccess(binding);
  const choice = chooseStore(values, values.demo);
  const workspace = findWorkspace({ flags: choice.flags, settings: values });
  const isKept = binding.token === undefined && !choice.isTemporary && workspace.store.kind !== "memory";
  const token = isKept ? keptToken(workspace.store.url) : binding.token;
  await requireValid(workspace.config);
  const { project, store, config } = workspace;
  const { root } = project;
  const surfaces = await loadSurfaces(chosenSurfaces(workspace), workspace);
  const memory = await openMemoryIn(workspace, { surfaces, isInteractive: true });
  const stopped = new AbortController();
  const removeSignalHandlers = onSignals(() => stopped.abort());
  const mcp = createMcpHandler({
    surfaces,
    limits: limitsOf(config),
    version: packageVersion(),
    hostnames: [...hosts],
    openMemory: async () => memory,
    resolveSession: async (request, _caller, connection) =>
      requestedSession(request, connection === undefined ? projectSession(root) : `mcp-${connection}`),
    earlierSession,
  });
  try {
    const page = await pageFiles();
    const server = await startServer({
      ...binding,
      token,
      memory,
      storeName: storeName(store),
      version: packageVersion(),
      page,
      mcp: mcp.handle,
      project: projectNotes(root, projectOptionsOf(config)),
      hosts: hostSessions(project),
      projectDirectory: root,
      offers: (surface) => offers(config, surface),
      demo: values.demo,
    });
    introduce(server, {
      store: `${homePath(storeName(store))}${choice.isTemporary ? " (temporary)" : ""}`,
      isTokenKept: token !== undefined,
      place: values.demo ? demoPlace : "",
      hasPage: page.has("/"),
    });
    if (!values["no-open"]) openBrowser(`${server.invite()}${values.demo ? demoPlace : ""}`);
    const { signal } = stopped;
    const demo = scripted?.playDemo(memory, { signal }).then(() => {
      if (!signal.aborted) printLines(["", "The page stays available until you press Ctrl-C."]);
    });
    if (!stopped.signal.aborted)
      await new Promise((resolve) => stopped.signal.addEventListener("abort", resolve, { once: true }));
    await Promise.all([demo, mcp.close()]);
    await server.stop();
    return 0;
  } finally {
    removeSignalHandlers();
    await memory.close();
    if (choice.isTemporary) rmSync(choice.directory, { recursive: true, force: true });
  }
}

/** The user's own token. Every user of the machine can see one on the command line, but not one in a file or a variable. */
function ownToken(path: string | undefined): string | undefined {
  if (path === undefined) return process.env.HOLDFAST_TOKEN || undefined;
  const text = readRegularFile(path, { maxBytes: 10_000, followLinks: true })?.toString("utf8").trim();
  if (text) return text;
  throw new HoldfastError(
    "invalid_input",
    `${path} is not a readable file with a token. Check --token-file.`,
  );
}

/** For clients that have no connection: one session per project, even in a store shared by several projects. */
function projectSession(root: string): string {
  return `project-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`;
}

/** An MCP client names its session in the URL; the default is one for its connection, or the project's without connections. */
function requestedSession(request: Request, otherwise: string): string {
  const id = new URL(request.url).searchParams.get("session");
  return id === null ? otherwise : checkId(id, "session id");
}

type StoreChoice = { flags: StoreFlags } & (
  | { isTemporary: false }
  | { isTemporary: true; directory: string }
);

/** The demo uses a temporary store unless the flags name one. */
function chooseStore({ store }: StoreFlags, isDemo: boolean): StoreChoice {
  if (!isDemo || store !== undefined) return { flags: { store }, isTemporary: false };
  const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
  return { flags: { store: join(directory, "memory.db") }, isTemporary: true, directory };
}

function introduce(
  { url, token }: RunningServer,
  shown: { store: string; isTokenKept: boolean; place: string; hasPage: boolean },
): void {
  const { paint } = screenOf();
  const lasting = shown.isTokenKept
    ? "An open page reconnects after a restart: the token stays the same."
    : "The token changes at each start.";
  // The addresses are not wrapped, so that they can be copied.
  const lines = [
    `${paint("bold", "Holdfast")} shows ${shown.store}`,
    `  page  ${paint("cyan", `${url}?token=${encodeURIComponent(token)}${shown.place}`)}`,
    `  API   ${url}openapi.json   MCP  ${url}mcp`,
    paint("dim", `  ${lasting} Stop with Ctrl-C.`),
    "",
    ...(shown.hasPage ? [] : ["The page is not built, so only the API is available. Run: npm run build", ""]),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** The first signal stops gracefully, the second exits at once. */
function onSignals(stop: () => void): () => void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(signal === "SIGINT" ? 130 : 143);
    isStopping = true;
    stop();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return () => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
}

function readPort(value: string | undefined): number | undefined {
  const port = wholeNumber(value, "port");
  if (port === undefined || port <= 65_535) return port;
  throw new HoldfastError("invalid_input", `--port must be at most 65535 (got ${port}).`);
}

/** Opens a page in the user's browser, if there is one. */
function openBrowser(url: string): void {
  const [command, ...args] = browserCommand(url);
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // Without a browser, the user still has the printed URL.
  child.once("error", () => {});
  child.unref();
}

function browserCommand(url: string): string[] {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI || !process.stdout.isTTY) return [];
  if (process.platform === "darwin") return ["open", url];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open", url] : [];
}

/**
 * The token of `holdfast serve` for a store, the same at each start, so that an open page reconnects. It is in a file
 * that only this user can read, outside every repository; undefined if it cannot be kept.
 */
export function keptToken(storeUrl: string): string | undefined {
  const name = createHash("sha256").update(storeUrl).digest("hex").slice(0, 32);
  const path = join(stateFolder(), "serve", `${name}.json`);
  return readToken(path) ?? writeToken(path);
}

/** Undefined if there is none, or another user could have read or written it. */
function readToken(path: string): string | undefined {
  const token = isPrivate(path) ? readSmallFile(path)?.token : undefined;
  return typeof token === "string" && /^[\w-]{43}$/.test(token) ? token : undefined;
}

function isPrivate(path: string): boolean {
  try {
    const { mode, uid } = lstatSync(path);
    return process.platform === "win32" || ((mode & 0o077) === 0 && uid === process.getuid?.());
  } catch {
    return false;
  }
}

function writeToken(path: string): string | undefined {
  const token = randomBytes(32).toString("base64url");
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Whatever is there is damaged, or not private.
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify({ token })}\n`, { flag: "wx", mode: 0o600 });
    return token;
  } catch (error) {
    // Another server wrote it first.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return readToken(path);
    return undefined;
  }
}
