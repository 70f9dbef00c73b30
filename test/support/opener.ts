/** Opens one store after another, printing a line before and after each, so that a test can kill it in between. */
import { writeSync } from "node:fs";
import { openStore } from "../../src/stores/open-store.ts";

const stores = JSON.parse(process.argv[2] ?? "[]") as string[];
for (const store of stores) {
  writeSync(1, `opening ${store}\n`);
  await (await openStore(store)).close();
  writeSync(1, `opened ${store}\n`);
}
