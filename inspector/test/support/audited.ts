import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { runAudit } from "../../../src/cli/demo/audit.ts";
import { openMemory } from "../../../src/index.ts";
import { surfaceNames } from "../../../src/surfaces/surfaces.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { builtPage } from "./built-page.ts";

let played: Promise<string> | undefined;

/** A server over a store with a finished audit, in session `audit`. The audit runs once per test file. */
export async function serveAudit(
  context: TestContext,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<TestServer> {
  played ??= playAudit();
  const path = join(temporaryDirectory(), "memory.db");
  copyFileSync(await played, path);
  return startTestServer(context, { page: await builtPage(), path, ...options });
}

async function playAudit(): Promise<string> {
  const path = join(temporaryDirectory(), "audit.db");
  const memory = await openMemory({ store: path, surfaces: surfaceNames });
  await runAudit(memory, { session: { id: "audit", title: "Workbook audit" } });
  await memory.close();
  return path;
}

export const prices = () => ({ input: 2, cacheWrite: 2.5, cacheRead: 0.2, output: 10, basis: "test-prices" });
