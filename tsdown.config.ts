import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    cli: "src/cli.ts",
    agent: "src/controller/index.ts",
    "ai-sdk": "src/adapters/ai-sdk.ts",
    anthropic: "src/adapters/anthropic.ts",
    openai: "src/adapters/openai.ts",
    testing: "src/testing/index.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22.13",
  dts: true,
  clean: true,
  fixedExtension: false,
});
