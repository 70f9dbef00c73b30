import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { sections } from "../pages.ts";

const root = join(import.meta.dirname, "../..");

/** A page's own first heading. */
function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(root, page), "utf8"))?.[1] ?? page;
}

function linkOf(page: string): string {
  return `/${page.replace(/README\.md$/, "index.md").replace(/\.md$/, "")}`;
}

export default defineConfig({
  title: "Holdfast",
  description: "Working memory for AI agents that survives compaction",
  srcDir: "..",
  srcExclude: [
    "{node_modules,src,test,site,inspector,bench,plugins,.github,.changeset,examples}/**",
    "AGENTS.md",
  ],
  outDir: "dist",
  cleanUrls: false,
  lastUpdated: false,
  rewrites: {
    "README.md": "index.md",
    "docs/README.md": "docs/index.md",
    "docs/api/README.md": "docs/api/index.md",
  },
  // Links to sources are for people who read the pages in the repository.
  ignoreDeadLinks: [/\/(?:src|examples|test|scripts|LICENSE)/],
  // The pages are outside this folder, so they do not find its packages by themselves.
  vite: {
    resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: join(root, "site/node_modules/vue") }] },
    esbuild: { tsconfigRaw: {} },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Coding agents", link: linkOf("docs/quick-start.md") },
      { text: "Build an agent", link: linkOf("docs/own-agent.md") },
      { text: "Reference", link: "/docs/cli" },
      { text: "TypeScript API", link: "/docs/api/index" },
    ],
    sidebar: Object.entries(sections).map(([text, pages]) => ({
      text,
      collapsed: false,
      items: pages.map((page) => ({ text: titleOf(page), link: linkOf(page) })),
    })),
  },
});
