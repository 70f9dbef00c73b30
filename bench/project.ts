import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lintProject } from "../src/surfaces/project/lint.ts";
import { parseNotes } from "../src/surfaces/project/notes.ts";
import { openProject } from "../src/surfaces/project/project.ts";
import { recoverLevel1 } from "../src/surfaces/project/recover.ts";
import { renderReference } from "../src/surfaces/project/references.ts";
import { templateText } from "../src/surfaces/project/template.ts";
import { verifyProject } from "../src/surfaces/project/verify.ts";
import { type Figure, median, time } from "./measure.ts";

const files = 10_000;
const references = 1_000;

/** NOTES.md with 1,000 references, in a repository of 10,000 files. */
export async function projectFigures(directory: string): Promise<Figure[]> {
  const root = join(directory, "project");
  const project = openProject({ root: makeRepository(root) });
  const rounds = async (work: () => unknown, count = 5) => {
    const times: number[] = [];
    for (let round = 0; round < count; round++) times.push(await time(work));
    return times;
  };
  const verified = await rounds(() => verifyProject(project));
  const { ok } = verifyProject(project);
  // Remove half of the quotes, so that verifying searches for each of them.
  for (let index = 0; index < references / 2; index++) writeFileSync(join(root, pathOf(index)), "nothing\n");
  const searched = await rounds(() => verifyProject(project), 3);
  const large = notesText(1_500);
  // Each round has a text of its own: the newest parsed text is kept.
  let round = 0;
  const recovered = await rounds(() =>
    recoverLevel1(project.file, parseNotes(`${large}${" ".repeat(round++)}`), project.countTokens),
  );
  const linted = await rounds(() => lintProject(project), 3);
  return [
    figure(
      "verify 1,000 references in 10,000 files",
      Math.max(...verified),
      1_000,
      `${ok} valid; slowest of ${verified.length}, the first one cold`,
    ),
    figure(
      "verify with half of the quotes missing",
      Math.max(...searched),
      1_000,
      "including the search for them",
    ),
    figure("read and recover level 1", median(recovered), 500, `${(large.length / 1e6).toFixed(1)} MB`),
    figure("lint with 1,000 references", median(linted), 1_500, "all rules"),
  ];
}

function figure(name: string, value: number, target: number, detail: string): Figure {
  return { name, value, target, limit: "max", unit: "ms", detail };
}

const pathOf = (index: number) => `src/module-${index % 100}/file-${index}.ts`;
const quoteOf = (index: number) => `export function compute${index}(input: Input): Output {`;

function makeRepository(root: string): string {
  for (let folder = 0; folder < 100; folder++)
    mkdirSync(join(root, `src/module-${folder}`), { recursive: true });
  const filler = "  // A line that fills the file.\n".repeat(40);
  for (let index = 0; index < files; index++)
    writeFileSync(join(root, pathOf(index)), `${filler}${quoteOf(index)}\n${filler}}\n`);
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(root, "grimoires/loa/NOTES.md"), notesText(references));
  return root;
}

/** Half of the references are evidence, half are identifiers. */
function notesText(count: number): string {
  const rows = Array.from(
    { length: count / 2 },
    (_, index) => `| ${renderReference(pathOf(index), 1, 5)} | Purpose | 14:25:00Z |`,
  );
  const entries = Array.from({ length: count / 2 }, (_, index) =>
    [
      `#### 2026-01-01T00:00:00Z - Decision ${index}`,
      `**Decision**: Compute ${index} this way`,
      "**Rationale**: It is the simplest one that works",
      "**Evidence**:",
      `- \`${quoteOf(index)}\` [${renderReference(pathOf(index), 41)}]`,
      "**Test Scenarios**:",
      "1. One\n2. Two\n3. Three",
    ].join("\n"),
  );
  return templateText("2026-01-01T00:00:00Z")
    .replace("\n### Decision Log", () => `${rows.join("\n")}\n\n### Decision Log`)
    .replace("### Pending", () => `${entries.join("\n\n")}\n\n### Pending`);
}
