import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { runAudit } from "../../src/cli/demo/audit.ts";
import { type Memory, openMemory } from "../../src/index.ts";
import type { HostSessions } from "../../src/server/hosts.ts";
import { pageFiles } from "../../src/server/page.ts";
import { startServer } from "../../src/server/start.ts";
import { surfaceNames } from "../../src/surfaces/surfaces.ts";

/** The folder with the stores of the pictures. */
export const root = mkdtempSync(join(tmpdir(), "holdfast-pictures-"));

export interface Shot {
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
  { name: "inspector-home", hash: "#/", ready: ".week" },
];

/** Starts a server over a memory, runs the work in a browser, and stops it. */
export async function served(
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

/** How a picture is taken. */
export interface Look {
  suffix: string;
  width: number;
  colorScheme: "light" | "dark";
}

/** Receives the page of each shot when it is ready. */
export type Receive = (name: string, page: Page) => Promise<unknown>;

export async function take(
  browser: Browser,
  { url, token }: { url: string; token: string },
  shots: readonly Shot[],
  { suffix, width, colorScheme }: Look,
  receive: Receive,
): Promise<void> {
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
    await receive(`${name}${suffix}`, page);
    await page.keyboard.press("Escape");
  }
  await context.close();
}

export async function openStore(name: string): Promise<Memory> {
  return openMemory({ store: join(root, `${name}.db`), surfaces: surfaceNames });
}

/** A person's edit that conflicts with the agent's. */
export async function takeConflict(
  browser: Browser,
  look: Look,
  name: string,
  receive: Receive,
): Promise<void> {
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
    await take(browser, address, [shot], look, receive);
  });
}

/** Sessions as a project has them: at work, waiting, and with something that needs a person. */
export async function playProject(memory: Memory): Promise<void> {
  const agent = { actor: { kind: "agent" as const } };
  const triage = await memory.createSession({ id: "triage", title: "Log triage" });
  await triage.notepad.write("## Plan\n- [x] Group by host\n- [ ] Find the first failure", agent);
  await triage.scratchpad.addRef("logs/2026-11-02.txt", agent);
  const notes = await memory.createSession({ id: "release", title: "Release notes for 2.4" });
  await notes.pins.pin("Never name a customer.", { actor: { kind: "person" } });
  await notes.notepad.write("- [x] Collect the changes\n- [x] Ask for screenshots\n- [ ] Write", agent);
  await runAudit(memory, { session: { id: "audit", title: "Workbook audit" } });
}

/** The pictures of the docs, light and dark. */
async function takeForDocs(browser: Browser, receive: Receive): Promise<void> {
  const looks: Look[] = [
    { suffix: "", width: 1280, colorScheme: "light" },
    { suffix: "-dark", width: 1280, colorScheme: "dark" },
  ];
  const memory = await openStore("docs");
  await playProject(memory);
  await served(memory, async (address) => {
    for (const look of looks) await take(browser, address, docsShots, look, receive);
  });
  for (const look of looks) await takeConflict(browser, look, "inspector-conflict", receive);
}

/** The file with the texts that the pictures show, and a stamp of the styles. */
export const shownTexts = join(import.meta.dirname, "../../docs/images/inspector.txt");

/**
 * The texts of the pictures, to tell whether they are stale. Without numbers: times differ in each run, and sizes with each
 * change of a text for the model.
 */
export async function textsShown(browser: Browser, receive: Receive = async () => {}): Promise<string> {
  const texts: string[] = [];
  await takeForDocs(browser, async (name, page) => {
    await receive(name, page);
    if (name.endsWith("-dark")) return;
    const text = await page.evaluate<string>("document.getElementById('app').innerText");
    const stable = text.replaceAll(/just now|\d+ s ago/g, "now").replaceAll(/\d[\d.,:]*/g, "0");
    // Whether a session works follows from the seconds since it was written.
    const lines = stable.split("\n").filter((line) => line !== "" && !/●|\bwork(?:ing|s now)\b/.test(line));
    texts.push(`${name}\n${lines.join("\n")}`);
  });
  const styles = (await pageFiles()).get("/inspector.css")?.etag;
  return `styles ${styles}\n\n${texts.join("\n\n")}\n`;
}
