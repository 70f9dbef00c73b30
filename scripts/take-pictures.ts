import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { playCodingSession } from "../inspector/test/support/coding-session.ts";
import { launchBrowser } from "../inspector/test/support/launch-browser.ts";
import { runAudit } from "../src/cli/demo/audit.ts";
import { hostSessions } from "../src/cli/host-sessions.ts";
import { type Memory, openMemory } from "../src/index.ts";
import type { HostSessions } from "../src/server/hosts.ts";
import { pageFiles } from "../src/server/page.ts";
import { startServer } from "../src/server/start.ts";
import { surfaceNames } from "../src/surfaces/surfaces.ts";

/**
 * Takes the pictures of the docs from the running page. With a folder as argument, it takes every view there instead, at
 * three widths, light and dark.
 */
const target = process.argv[2];
if (target?.startsWith("-")) {
  console.error(`"${target}" is no folder. Usage: node scripts/take-pictures.ts [FOLDER]`);
  process.exit(1);
}
const root = mkdtempSync(join(tmpdir(), "holdfast-pictures-"));

interface Shot {
  name: string;
  hash: string;
  /** Shown when the view is ready. */
  ready: string;
  before?: (page: Page) => Promise<void>;
}

const docsShots: readonly Shot[] = [
  { name: "inspector", hash: "#/audit/history/c2", ready: ".states" },
  { name: "inspector-memory", hash: "#/audit/memory", ready: ".prose" },
  { name: "inspector-window", hash: "#/audit/window", ready: ".pieces" },
  { name: "inspector-home", hash: "#/", ready: ".sessions" },
];

const allShots: readonly Shot[] = [
  { name: "home", hash: "#/", ready: ".sessions" },
  { name: "memory", hash: "#/audit/memory", ready: ".prose" },
  { name: "window", hash: "#/audit/window", ready: ".pieces" },
  { name: "conversation", hash: "#/audit/window/12", ready: ".talk" },
  { name: "history", hash: "#/audit/history", ready: ".history-detail .panel" },
  { name: "compaction", hash: "#/audit/history/c2", ready: ".states" },
  { name: "where", hash: "#/audit/memory", ready: ".prose", before: askWhere },
];

const hostShots: readonly Shot[] = [
  { name: "coding-memory", hash: "#/claude-code.f3c1/memory", ready: ".prose" },
  { name: "coding-window", hash: "#/claude-code.f3c1/window", ready: ".pieces" },
  { name: "coding-compaction", hash: "#/claude-code.f3c1/history/c1", ready: ".states" },
];

async function askWhere(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("July double-counted");
  await page.locator(".answer").waitFor();
}

/** Starts a server over a memory, runs the work in a browser, and stops it. */
async function served(
  memory: Memory,
  work: (address: { url: string; token: string }) => Promise<void>,
  hosts?: HostSessions,
): Promise<void> {
  const server = await startServer({
    memory,
    storeName: ".holdfast/memory.db",
    version: "0",
    port: 0,
    page: await pageFiles(),
    hosts,
  });
  try {
    await work(server);
  } finally {
    await server.stop();
    await memory.close();
  }
}

interface Look {
  suffix: string;
  width: number;
  colorScheme: "light" | "dark";
}

async function take(
  browser: Browser,
  { url, token }: { url: string; token: string },
  shots: readonly Shot[],
  folder: string,
  { suffix, width, colorScheme }: Look,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const context = await browser.newContext({
    viewport: { width, height: width < 800 ? 844 : 900 },
    colorScheme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.goto(`${url}?token=${encodeURIComponent(token)}`);
  for (const { name, hash, ready, before } of shots) {
    await page.goto(new URL(hash, page.url()).href);
    await page.locator(ready).first().waitFor({ state: "attached" });
    await page.locator(".skeleton").waitFor({ state: "detached" });
    await page.evaluate("document.getElementById('main').scrollTop = 0");
    await before?.(page);
    await page.screenshot({ path: join(folder, `${name}${suffix}.png`) });
    await page.keyboard.press("Escape");
  }
  await context.close();
}

async function openStore(name: string): Promise<Memory> {
  return openMemory({ store: join(root, `${name}.db`), surfaces: surfaceNames });
}

/** A person's edit that conflicts with the agent's. */
async function takeConflict(browser: Browser, folder: string, look: Look, name: string): Promise<void> {
  const memory = await openStore(`${name}${look.suffix}`);
  const session = await memory.createSession({ id: "s", title: "Workbook audit" });
  const agent = { actor: { kind: "agent" as const } };
  await session.notepad.write(
    "## Findings\n- EMEA: 310 rows; July looks wrong\n- APAC: 290 rows; clean",
    agent,
  );
  await served(memory, async (address) => {
    const before = async (page: Page) => {
      await page.getByRole("button", { name: "Edit the notepad" }).click();
      await page
        .getByRole("textbox", { name: "Text of the notepad" })
        .fill("## Findings\n- EMEA: 310 rows; July is counted twice\n- APAC: 290 rows; clean");
      await session.notepad.write(
        "## Findings\n- EMEA: 310 rows; July double-counted in rows 251-267\n- APAC: 290 rows; clean",
        agent,
      );
      await page.getByText("The text changed while you were editing.").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator(".conflict-side").first().waitFor();
    };
    const shot = { name, hash: "#/s/memory", ready: ".prose", before };
    await take(browser, address, [shot], folder, look);
  });
}

/** Sessions as a project has them: at work, waiting, and with something that needs a person. */
async function playProject(memory: Memory): Promise<void> {
  const agent = { actor: { kind: "agent" as const } };
  const triage = await memory.createSession({ id: "triage", title: "Log triage" });
  await triage.notepad.write("## Plan\n- [x] Group by host\n- [ ] Find the first failure", agent);
  await triage.scratchpad.addRef("logs/2026-11-02.txt", agent);
  const notes = await memory.createSession({ id: "release", title: "Release notes for 2.4" });
  await notes.pins.pin("Never name a customer.", { actor: { kind: "person" } });
  await notes.notepad.write("- [x] Collect the changes\n- [x] Ask for screenshots\n- [ ] Write", agent);
  await runAudit(memory, { session: { id: "audit", title: "Workbook audit" } });
}

async function takeAll(browser: Browser, folder: string): Promise<void> {
  const looks: Look[] = [1440, 1024, 390].flatMap((width) =>
    (["light", "dark"] as const).map((colorScheme) => ({
      suffix: `-${width}-${colorScheme}`,
      width,
      colorScheme,
    })),
  );
  const memory = await openStore("all");
  await playProject(memory);
  const session = await memory.openSession("audit");
  await session.pins.pin("Never change a sheet.", { actor: { kind: "person" } });
  await session.notes.add("EMEA is the one that is wrong", ["emea", "q3"]);
  await session.notepad.append("- ask finance about the rate", { actor: { kind: "person" } });
  await served(memory, async (address) => {
    for (const look of looks) await take(browser, address, allShots, folder, look);
  });
  const empty = [{ name: "empty", hash: "#/", ready: ".first-steps" }];
  await served(await openStore("empty"), async (address) => {
    for (const look of looks) await take(browser, address, empty, folder, look);
  });
  for (const look of looks) await takeOffline(browser, folder, look);
  for (const look of looks) await takeConflict(browser, folder, look, "conflict");
  mkdirSync(join(root, "billing"));
  const { project, database } = await playCodingSession(join(root, "billing"));
  const coding = await openMemory({ store: database, surfaces: surfaceNames });
  await served(
    coding,
    async (address) => {
      for (const look of looks) await take(browser, address, hostShots, folder, look);
    },
    hostSessions(project),
  );
}

/** The page after its server stopped. */
async function takeOffline(browser: Browser, folder: string, look: Look): Promise<void> {
  const memory = await openStore(`offline${look.suffix}`);
  await (await memory.createSession({ id: "s", title: "Workbook audit" })).notepad.write("- a finding");
  const server = await startServer({
    memory,
    storeName: "memory.db",
    version: "0",
    port: 0,
    page: await pageFiles(),
  });
  const before = async (page: Page) => {
    await server.stop();
    await page.locator(".link-offline").waitFor();
  };
  await take(
    browser,
    server,
    [{ name: "offline", hash: "#/s/memory", ready: ".prose", before }],
    folder,
    look,
  );
  await memory.close();
}

async function takeForDocs(browser: Browser, folder: string): Promise<void> {
  const light: Look = { suffix: "", width: 1280, colorScheme: "light" };
  const memory = await openStore("docs");
  await playProject(memory);
  await served(memory, async (address) => {
    await take(browser, address, docsShots, folder, light);
    await take(browser, address, docsShots.slice(0, 1), folder, {
      ...light,
      suffix: "-dark",
      colorScheme: "dark",
    });
    const phone = [{ name: "inspector-phone", hash: "#/audit/history/c2", ready: ".states" }];
    await take(browser, address, phone, folder, { ...light, width: 390 });
  });
  await takeConflict(browser, folder, light, "inspector-conflict");
}

const browser = await launchBrowser();
if (!browser) process.exit(1);
try {
  if (target === undefined) await takeForDocs(browser, join(import.meta.dirname, "../docs/images"));
  else await takeAll(browser, target);
} finally {
  await browser.close();
  rmSync(root, { recursive: true, force: true });
}
