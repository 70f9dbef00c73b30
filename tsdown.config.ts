import { defineConfig } from "tsdown";

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli.ts", testing: "src/testing/index.ts" },
  format: "esm",
  platform: "node",
  target: "node22.13",
  dts: true,
  clean: true,
  fixedExtension: false,
});
