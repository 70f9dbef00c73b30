/** Things of which a project uses one: who names another has changed it. */
const families = [
  "npm pnpm yarn bun",
  "pip uv poetry conda pipenv",
  "jest vitest mocha ava jasmine",
  "pytest unittest nose",
  "cypress playwright selenium puppeteer",
  "prettier biome dprint",
  "black ruff yapf flake8 pylint",
  "eslint oxlint tslint",
  "webpack vite rollup esbuild parcel turbopack",
  "pandas polars dask",
  "matplotlib plotly seaborn altair",
  "react vue svelte angular solid htmx",
  "redux zustand mobx jotai pinia",
  "tailwind bootstrap styled-components css-in-js css-modules",
  "postgres postgresql mysql mariadb sqlite mongodb mongo",
  "docker podman",
  "terraform opentofu pulumi cdk",
  "aws gcp azure hetzner",
  "gcc clang msvc",
  "rest graphql grpc",
  "moment date-fns dayjs luxon temporal",
  "axios fetch got ky reqwest ureq",
  "winston pino bunyan",
  "slack teams discord",
  "github gitlab bitbucket",
  "gradle maven bazel",
  "tabs spaces",
  "formal casual informal",
  "markdown restructuredtext asciidoc",
  "camelcase snake_case kebab-case pascalcase",
  "debug info warn",
  "hourly daily nightly weekly monthly quarterly yearly",
  "fp16 bf16 fp32 float32 float64",
  "celsius fahrenheit kelvin",
  "metric imperial",
  "light dark",
  "passive active",
  "serial parallel",
  "merge squash rebase",
  "json yaml toml xml csv",
  "png svg jpg jpeg webp avif",
  "sqlite duckdb",
  "cent cents euro euros dollar dollars",
  "british american",
  "english german french spanish italian chinese japanese portuguese dutch russian polish korean turkish swedish norwegian danish",
  "monday tuesday wednesday thursday friday saturday sunday",
  "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
].map((family) => family.split(" "));

const familyOf = new Map(families.flatMap((family) => family.map((word) => [word, family] as const)));

/** The last of some words that a word takes the place of: npm for pnpm; undefined for none. */
export function rivalOf(word: string, words: readonly string[]): string | undefined {
  const family = familyOf.get(word);
  return family && words.findLast((other) => other !== word && family.includes(other));
}
