import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { chooseAccess } from "../server/listen.ts";
import { pageFiles } from "../server/page.ts";
import { type RunningServer, startServer } from "../server/start.ts";
import type { Memory } from "../sessions/memory.ts";
import { chosenStore, openChosenMemory, readArguments, type StoreOptions, wholeNumber } from "./arguments.ts";
import { openBrowser } from "./open-browser.ts";
import { painterFor } from "./terminal.ts";

const paint = painterFor(process.stdout);

/** Serves the inspector, its API and the MCP endpoint until it is told to stop. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    port: { type: "string" },
    host: { type: "string" },
    token: { type: "string" },
    "no-open": { type: "boolean", default: false },
    demo: { type: "boolean", default: false },
  });
  if (positionals.length > 0)
    throw new HoldfastError("invalid_input", `serve takes no argument ${JSON.stringify(positionals[0])}.`);
  const binding = {
    port: readPort(values.port),
    host: values.host,
    token: values.token ?? (process.env.HOLDFAST_TOKEN || undefined),
  };
  // What is wrong with them is said before a store is opened.
  chooseAccess(binding);
  const place = choosePlace(values, values.demo);
  const memory = await openChosenMemory(place);
  const stopped = new AbortController();
  const letGo = onSignals(() => stopped.abort());
  try {
    const server = await startServer({
      ...binding,
      memory,
      storeName: withoutPassword(chosenStore(place)),
      version: packageVersion(),
      page: await pageFiles(),
      projectDirectory: process.cwd(),
      demo: values.demo,
    });
    introduce(server, place);
    if (!values["no-open"]) openBrowser(server.invite());
    const demo = values.demo ? runDemo(memory, stopped.signal) : undefined;
    if (!stopped.signal.aborted)
      await new Promise((resolve) => stopped.signal.addEventListener("abort", resolve, { once: true }));
    await demo;
    await server.stop();
    return 0;
  } finally {
    letGo();
    await memory.close();
    if (place.isTemporary) rmSync(place.directory, { recursive: true, force: true });
  }
}

type Place = StoreOptions & ({ isTemporary: false } | { isTemporary: true; directory: string });

/** The demo plays in a store of its own, unless one is named. */
function choosePlace({ db, store }: StoreOptions, isDemo: boolean): Place {
  if (!isDemo || db !== undefined || store !== undefined) return { db, store, isTemporary: false };
  const directory = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
  return { db: join(directory, "memory.db"), isTemporary: true, directory };
}

function introduce({ url, token }: RunningServer, place: Place): void {
  const store = withoutPassword(chosenStore(place));
  console.log(`${paint("bold", "Holdfast")} shows ${store}${place.isTemporary ? " (temporary)" : ""}`);
  console.log(`  page  ${paint("cyan", `${url}?token=${encodeURIComponent(token)}`)}`);
  console.log(`  API   ${url}openapi.json   MCP  ${url}mcp`);
  console.log(paint("dim", "  The token is new at each start unless you choose it. Stop with Ctrl-C.\n"));
}

async function runDemo(memory: Memory, signal: AbortSignal): Promise<void> {
  const { playDemo } = await import("./serve-demo.ts");
  await playDemo(memory, signal);
}

/** The first signal asks to stop, the second does not ask. */
function onSignals(stop: () => void): () => void {
  let isAsked = false;
  const hear = (signal: NodeJS.Signals) => {
    if (isAsked) process.exit(signal === "SIGINT" ? 130 : 143);
    isAsked = true;
    stop();
  };
  process.on("SIGINT", hear).on("SIGTERM", hear);
  return () => void process.off("SIGINT", hear).off("SIGTERM", hear);
}

function readPort(value: string | undefined): number | undefined {
  const port = wholeNumber(value, "port");
  if (port === undefined || port <= 65_535) return port;
  throw new HoldfastError("invalid_input", `--port must be at most 65535 (got ${port}).`);
}

function withoutPassword(store: string): string {
  return store.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/, "$1@");
}

function packageVersion(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    try {
      return (JSON.parse(readFileSync(new URL(place, import.meta.url), "utf8")) as { version: string })
        .version;
    } catch {
      // The sources lie one folder deeper than the built program.
    }
  }
  return "0.0.0";
}
