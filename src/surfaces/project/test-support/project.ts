import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import type { EntryKind } from "../entries.ts";
import {
  type Answer,
  type Caller,
  initProject,
  openProject,
  type Project,
  type ProjectOptions,
} from "../project.ts";
import { projectOperations } from "../surface.ts";

/** The protocol's example. */
export const seedNotes = readFileSync(join(import.meta.dirname, "../fixtures/notes-md-example.md"), "utf8");

export const jwt = [
  'import { decode } from "./decode.ts";',
  "",
  "export function isTokenExpired(token: Token, graceMs = 900000) {",
  "  return token.expiresAt + graceMs < Date.now();",
  "}",
  "",
].join("\n");

/** A project in a temporary directory, at a fixed time, with its NOTES.md. */
export function makeProject({
  notes,
  files = { "src/auth/jwt.ts": jwt },
  ...options
}: { notes?: string | Buffer; files?: Record<string, string> } & Partial<ProjectOptions> = {}) {
  const root = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) writeInto(root, path, text);
  let now = Date.parse("2026-03-01T10:00:00Z");
  const clock = () => (now += 1_000);
  const project = openProject({ root, clock, ...options });
  if (notes === undefined) initProject(project);
  else writeInto(root, options.path ?? "grimoires/loa/NOTES.md", notes);
  return {
    root,
    project,
    clock,
    read: () => readFileSync(project.file.path, "utf8"),
    write: (text: string) => writeFileSync(project.file.path, text),
    call: (name: string, input: unknown, caller: Caller = {}) => callOperation(project, name, input, caller),
    log: (kind: EntryKind, text: string, more: object = {}) =>
      callOperation(project, "log_entry", { kind, text, ...more }),
  };
}

export function writeInto(root: string, path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

export async function callOperation(
  project: Project,
  name: string,
  input: unknown,
  caller: Caller = {},
): Promise<Answer> {
  const operation = projectOperations.find((each) => each.name === name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  return operation.run(project, operation.input.parse(input), caller);
}

export const decision = {
  decision: "Use sliding window expiration",
  rationale: "Short expiry without logouts",
  evidence: [{ quote: "export function isTokenExpired(token: Token", path: "src/auth/jwt.ts" }],
  scenarios: ["At the boundary", "Beyond the grace period", "Refresh token expired too"],
};

/** A decision log entry as a person would write it. */
export function decisionText(index: number, words = `Decision number ${index}`): string {
  const hour = String(index % 24).padStart(2, "0");
  const day = String(1 + (Math.floor(index / 24) % 28)).padStart(2, "0");
  return [
    `#### 2024-01-${day}T${hour}:00:00Z - ${words}`,
    `**Decision**: ${words} in full`,
    `**Rationale**: Because of reason ${index}`,
    "**Evidence**:",
    `- \`export function isTokenExpired(token: Token\` [$\{PROJECT_ROOT}/src/auth/jwt.ts:3]`,
    "**Test Scenarios**:",
    "1. One",
    "2. Two",
    "3. Three",
  ].join("\n");
}

export function git(root: string, ...args: string[]): void {
  execFileSync("git", ["-C", root, "-c", "user.name=T", "-c", "user.email=t@example.org", ...args], {
    stdio: "pipe",
  });
}
