import { join } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";

const here = import.meta.dirname;

/** The page: one script with all it needs in it, and the files that are served as they are. */
const page: UserConfig = defineConfig({
  cwd: here,
  entry: { inspector: "src/main.tsx" },
  outDir: process.env.HOLDFAST_PAGE_DIRECTORY ?? join(here, "../dist/inspector"),
  format: "esm",
  platform: "browser",
  target: "es2022",
  tsconfig: "tsconfig.json",
  minify: true,
  dts: false,
  fixedExtension: false,
  copy: [{ from: "public/*", flatten: true }],
});

export default page;
