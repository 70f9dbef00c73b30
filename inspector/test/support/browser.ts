import { after, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "./launch-browser.ts";

let running: Promise<Browser | undefined> | undefined;

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
    if (browser) await body(browser, context);
    else context.skip("no browser runs here");
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

/** Opens the page in a new browser profile, authenticated with the server's token. */
export async function openPage(
  browser: Browser,
  { url, token }: { url: string; token: string },
  { hash = "#/", colorScheme = "light", width = 1280 }: PageOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
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
