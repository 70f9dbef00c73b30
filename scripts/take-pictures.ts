import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { playCodingSession } from "../inspector/test/support/coding-session.ts";
import { launchBrowser } from "../inspector/test/support/launch-browser.ts";
import { playFinishedAudit } from "../src/cli/demo/serve-demo.ts";
import { hostSessions } from "../src/cli/host-sessions.ts";
import { type Memory, openMemory } from "../src/index.ts";
import type { HostSessions } from "../src/server/host-sessions.ts";
import { listPrice } from "../src/server/list-prices.ts";
import { pageFiles } from "../src/server/page/page.ts";
import { startServer } from "../src/server/start.ts";
import { surfaceNames } from "../src/surfaces/surfaces.ts";

/**
 * Takes the pictures of the docs from the running page. With a folder as argument, it takes every view there instead:
 * light, dark, narrow, empty, with 300 sessions, and a coding agent's session.
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

const audit = "audit-finished";

const docsShots: readonly Shot[] = [
  { name: "inspector", hash: `#/${audit}/compaction/2`, ready: ".receipt-facts", before: scrollToSteps },
  { name: "inspector-with-without", hash: `#/${audit}/compaction`, ready: ".holds" },
  { name: "inspector-memory", hash: `#/${audit}/memory`, ready: ".prose" },
  { name: "inspector-context", hash: `#/${audit}/context`, ready: ".pieces" },
  { name: "inspector-timeline", hash: `#/${audit}/timeline`, ready: ".then" },
];

const allShots: readonly Shot[] = [
  { name: "memory", hash: `#/${audit}/memory`, ready: ".prose" },
  { name: "context", hash: `#/${audit}/context`, ready: ".pieces" },
  { name: "compaction", hash: `#/${audit}/compaction`, ready: ".receipt-facts" },
  { name: "steps", hash: `#/${audit}/compaction/2`, ready: ".receipt-facts", before: scrollToSteps },
  { name: "still-there", hash: `#/${audit}/compaction?find=July%20double-counted`, ready: ".life" },
  { name: "conversation", hash: `#/${audit}/conversation`, ready: ".talk" },
  { name: "timeline", hash: `#/${audit}/timeline`, ready: ".then" },
  { name: "palette", hash: `#/${audit}/memory`, ready: ".prose", before: openPalette },
  { name: "search", hash: `#/${audit}/memory`, ready: ".prose", before: search },
];

const hostShots: readonly Shot[] = [
  { name: "coding-memory", hash: "#/claude-code.f3c1/memory", ready: ".prose" },
  { name: "coding-context", hash: "#/claude-code.f3c1/context", ready: ".pieces" },
  { name: "coding-compaction", hash: "#/claude-code.f3c1/compaction", ready: ".receipt-facts" },
];

async function scrollToSteps(page: Page): Promise<void> {
  await page.evaluate("document.getElementById('title-steps').scrollIntoView({ block: 'start' })");
  await page.evaluate("document.getElementById('main').scrollBy(0, -80)");
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("EMEA");
  await page.locator(".palette-choice").nth(1).waitFor();
}

async function search(page: Page): Promise<void> {
  // A narrow screen shows either the list or a session.
  if (!(await page.locator("#search").isVisible())) return;
  await page.locator("#search").fill("E-1041");
  await page.locator(".result").first().waitFor();
}

/** Starts a server over a memory, runs the work in a browser, and stops it. */
async function served(
  memory: Memory,
  work: (address: { url: string; token: string }) => Promise<void>,
  hosts?: HostSessions,
): Promise<void> {
  const priceOf = () => listPrice("claude-sonnet-5");
  const server = await startServer({
    memory,
    storeName: ".holdfast/memory.db",
    version: "0",
    port: 0,
    page: await pageFiles(),
    priceOf,
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
async function takeConflict(browser: Browser, folder: string): Promise<void> {
  const memory = await openStore("conflict");
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
    const shot = { name: "inspector-conflict", hash: "#/s/memory", ready: ".prose", before };
    await take(browser, address, [shot], folder, { suffix: "", width: 1280, colorScheme: "light" });
  });
}

async function takeAll(browser: Browser, folder: string): Promise<void> {
  const looks: Look[] = [
    { suffix: "-light", width: 1280, colorScheme: "light" },
    { suffix: "-dark", width: 1280, colorScheme: "dark" },
    { suffix: "-390", width: 390, colorScheme: "light" },
  ];
  const memory = await openStore("all");
  await playFinishedAudit(memory);
  await served(memory, async (address) => {
    for (const look of looks) await take(browser, address, allShots, folder, look);
  });
  const empty = [{ name: "empty", hash: "#/", ready: ".first-steps" }];
  await served(await openStore("empty"), async (address) => {
    for (const look of looks) await take(browser, address, empty, folder, look);
  });
  const many = await openStore("many");
  for (let index = 0; index < 300; index++)
    await many.createSession({ id: `session-${index}`, title: `Session number ${index}` });
  await served(many, async (address) => {
    const shot = { name: "300-sessions", hash: "#/", ready: ".session-row" };
    for (const look of looks) await take(browser, address, [shot], folder, look);
  });
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

async function takeForDocs(browser: Browser, folder: string): Promise<void> {
  const light: Look = { suffix: "", width: 1280, colorScheme: "light" };
  const memory = await openStore("docs");
  await playFinishedAudit(memory);
  await served(memory, async (address) => {
    await take(browser, address, docsShots, folder, light);
    const phone = [{ name: "inspector-phone", hash: `#/${audit}/compaction`, ready: ".holds" }];
    await take(browser, address, phone, folder, { ...light, width: 390 });
  });
  await takeConflict(browser, folder);
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
