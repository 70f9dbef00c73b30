import { after, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "./launch-browser.ts";

let running: Promise<Browser | undefined> | undefined;
let profile: Promise<BrowserContext> | undefined;

after(async () => {
  await (await running)?.close();
});

/** Runs a test in a real browser. Without one, warns loudly and skips the test. */
export function inBrowser(
  body: (browser: Browser, context: TestContext) => Promise<void>,
): (context: TestContext) => Promise<void> {
  return async (context) => {
    running ??= launchBrowser();
    const browser = await running;
    if (!browser) return context.skip("no browser runs here");
    try {
      await body(browser, context);
    } finally {
      for (const page of (await profile)?.pages() ?? []) await page.close();
    }
  };
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** Everything that went wrong on the page: exceptions, blocked scripts and styles, dialogs. */
  problems: string[];
}

export interface PageOptions {
  hash?: string;
  colorScheme?: "light" | "dark";
  width?: number;
}

/** Opens the page in a new tab, authenticated with the server's token. Each server has an origin of its own. */
export async function openPage(
  browser: Browser,
  { url, token }: { url: string; token: string },
  { hash = "#/", colorScheme = "light", width = 1280 }: PageOptions = {},
): Promise<OpenPage> {
  profile ??= browser.newContext({ reducedMotion: "reduce" });
  const context = await profile;
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 900 });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${url}?token=${encodeURIComponent(token)}${hash}`);
  return { page, context, problems };
}

/** Resizes the page, and waits until it is drawn at the new size. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.waitForFunction(`innerWidth === ${width}`);
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
}
