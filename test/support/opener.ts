/** Opens a store and says so before and after, again and again on the next of its list: to be killed on the way. */
import { writeSync } from "node:fs";
import { openStore } from "../../src/stores/open-store.ts";

const stores = JSON.parse(process.argv[2] ?? "[]") as string[];
for (const store of stores) {
  writeSync(1, `opening ${store}\n`);
  await (await openStore(store)).close();
  writeSync(1, `opened ${store}\n`);
}
