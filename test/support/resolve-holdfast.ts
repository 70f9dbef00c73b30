import { registerHooks } from "node:module";

/** Lets the examples import the package by its name without a build. */
const entries: Record<string, string> = {
  holdfast: "index.ts",
  "holdfast/agent": "controller/index.ts",
  "holdfast/ai-sdk": "adapters/ai-sdk.ts",
  "holdfast/anthropic": "adapters/anthropic.ts",
  "holdfast/openai": "adapters/openai.ts",
  "holdfast/sandbox": "sandbox/index.ts",
  "holdfast/testing": "testing/index.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const entry = entries[specifier];
    return next(
      entry === undefined ? specifier : new URL(`../../src/${entry}`, import.meta.url).href,
      context,
    );
  },
});
