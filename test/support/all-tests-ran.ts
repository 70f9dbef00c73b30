import { after } from "node:test";

let ranAll = false;

after(() => {
  ranAll = true;
});

// Without this, a test or a library that ends the process with code 0 skips the tests that are left.
process.once("exit", () => {
  if (ranAll) return;
  console.error("The process ended before all its tests had run.");
  process.exitCode = 1;
});
