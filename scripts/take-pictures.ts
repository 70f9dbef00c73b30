import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { playCodingSession } from "../inspector/test/support/coding-session.ts";
import { launchBrowser } from "../inspector/test/support/launch-browser.ts";
import { hostSessions } from "../src/cli/host-sessions.ts";
import { type Memory, openMemory } from "../src/index.ts";
import { pageFiles } from "../src/server/page.ts";
import { startServer } from "../src/server/start.ts";
import { defaultSurfaces } from "../src/surfaces/surfaces.ts";
import {
  type Look,
  openStore,
  playProject,
  type Receive,
  root,
  type Shot,
  served,
  shownTexts,
  take,
  takeConflict,
  textsShown,
} from "./pictures/inspector-shots.ts";

/**
 * Takes the pictures of the docs from the running page. With a folder as argument, it takes every view there instead, at
 * three widths, light and dark.
 */
const target = process.argv[2];
if (target?.startsWith("-")) {
  console.error(`"${target}" is not a folder. Usage: node scripts/take-pictures.ts [FOLDER]`);
  process.exit(1);
}

const allShots: readonly Shot[] = [
  { name: "home", hash: "#/", ready: ".sessions" },
  { name: "memory", hash: "#/audit/memory", ready: ".prose" },
  { name: "window", hash: "#/audit/window", ready: ".pieces" },
  { name: "conversation", hash: "#/audit/window/12", ready: ".talk" },
  { name: "history", hash: "#/audit/history", ready: ".history-detail .panel" },
  { name: "compaction", hash: "#/audit/history/c2", ready: ".states" },
  { name: "past", hash: "#/audit/memory?at=20", ready: ".past" },
  { name: "hidden", hash: "#/long/memory", ready: ".fold" },
  { name: "where", hash: "#/audit/memory", ready: ".prose", before: askWhere },
];

const crowdShots: readonly Shot[] = [{ name: "crowd", hash: "#/", ready: ".sessions" }];

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

async function takeAll(browser: Browser, receive: Receive): Promise<void> {
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
  await writeLongNotepad(memory);
  await served(memory, async (address) => {
    for (const look of looks) await take(browser, address, allShots, look, receive);
  });
  await served(await crowded(), async (address) => {
    for (const look of looks) await take(browser, address, crowdShots, look, receive);
  });
  const empty = [{ name: "empty", hash: "#/", ready: ".first-steps" }];
  await served(await openStore("empty"), async (address) => {
    for (const look of looks) await take(browser, address, empty, look, receive);
  });
  for (const look of looks) await takeOffline(browser, look, receive);
  for (const look of looks) await takeConflict(browser, look, "conflict", receive);
  mkdirSync(join(root, "billing"));
  const { project, database } = await playCodingSession(join(root, "billing"));
  const coding = await openMemory({ store: database, surfaces: defaultSurfaces.server });
  await served(
    coding,
    async (address) => {
      for (const look of looks) await take(browser, address, hostShots, look, receive);
    },
    hostSessions(project),
  );
}

/** A notepad whose middle the model does not see. */
async function writeLongNotepad(memory: Memory): Promise<void> {
  const session = await memory.createSession({ id: "long", title: "Log triage of a week" });
  const lines = Array.from({ length: 40 }, (_, day) => `- host ${day}: ${day * 7} errors`);
  await session.notepad.write(lines.join("\n"), { actor: { kind: "agent" } });
  const text = [...lines.slice(0, 8), "[Not shown here]", ...lines.slice(32)].join("\n");
  await session.apply({
    type: "context.open",
    blocks: [{ surface: "notepad", text, cutFrom: lines.join("\n") }],
  });
}

/** The page after its server stopped. */
async function takeOffline(browser: Browser, look: Look, receive: Receive): Promise<void> {
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
  const shot = { name: "offline", hash: "#/s/memory", ready: ".prose", before };
  await take(browser, server, [shot], look, receive);
  await memory.close();
}

/** A store with 300 sessions. */
async function crowded() {
  const memory = await openStore("crowd");
  for (let index = 0; index < 300; index++) {
    const session = await memory.createSession({
      id: `s${index}`,
      title: `Session ${index} of a busy project`,
    });
    if (index % 3 === 0) await session.notepad.write("- [x] one\n- [ ] two");
    if (index % 10 === 0) await session.scratchpad.setPlan("x".repeat(1_950));
    if (index % 7 === 0) await memory.spawnSession(session.id, { title: "A child session" });
  }
  return memory;
}

const browser = await launchBrowser();
if (!browser) process.exit(1);
const folder = target ?? join(import.meta.dirname, "../docs/images");
mkdirSync(folder, { recursive: true });
const save: Receive = (name, page) => page.screenshot({ path: join(folder, `${name}.png`) });
try {
  if (target === undefined) writeFileSync(shownTexts, await textsShown(browser, save));
  else await takeAll(browser, save);
} finally {
  await browser.close();
  rmSync(root, { recursive: true, force: true });
}
