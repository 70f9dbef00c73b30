import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";

const here = import.meta.dirname;

/** In cascade order: later files may override earlier ones. */
const styles = ["tokens", "base", "frame", "markdown", "views"];

/** One style sheet, so that the first paint waits for one file. */
const styleSheet = {
  name: "style-sheet",
  generateBundle(this: { emitFile(file: { type: "asset"; fileName: string; source: string }): void }) {
    const source = styles.map((name) => readFileSync(join(here, "styles", `${name}.css`), "utf8")).join("\n");
    this.emitFile({ type: "asset", fileName: "inspector.css", source });
  },
};

/** The page: one script, one style sheet, and static files. */
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
  plugins: [styleSheet],
  copy: [{ from: "public/*", flatten: true }],
  deps: { onlyBundle: ["preact"] },
});

export default page;
