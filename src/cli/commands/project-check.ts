import { HoldfastError } from "../../errors.ts";
import { type LintReport, lintProject } from "../../surfaces/project/lint.ts";
import { describeStale, verifyProject } from "../../surfaces/project/verify.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson } from "../terminal/screen.ts";
import type { ProjectArguments } from "./project.ts";

/** Exit code 0: no findings. 1: findings. 2: the file could not be checked. */
export async function lint({ project, json }: ProjectArguments): Promise<number> {
  try {
    const report = await lintProject(project);
    if (json) printJson(report);
    else printReport(report);
    return report.findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    console.error(`holdfast: ${error.message}`);
    return 2;
  }
}

function printReport(report: LintReport): void {
  for (const { rule, line, message } of report.findings)
    console.log(`${report.file}:${line}: ${rule}: ${message}`);
  for (const { rule, reason } of report.skipped)
    console.error(`holdfast: ${rule} was not checked: ${reason}.`);
  if (report.findings.length > 0) console.error(`holdfast: ${counted(report.findings.length, "finding")}.`);
  else console.log("No findings.");
}

/** Exit code 0: all references are valid. 1: some are stale. */
export async function verify({ project, json, values }: ProjectArguments): Promise<number> {
  const report = verifyProject(project, {
    write: values["no-write"] !== true,
    fix: values.fix === true,
  });
  const { references, ok, stale, updated } = report;
  if (json) {
    const shown = references.map(({ line, kind, reference, quote, status, problem, now }) => ({
      line: line + 1,
      kind,
      reference: reference.text,
      ...(quote === undefined ? {} : { quote }),
      status,
      ...(problem === "" ? {} : { problem }),
      ...(now === undefined ? {} : { now }),
    }));
    printJson({ ok, stale: stale.length, updated, references: shown });
  } else {
    for (const each of stale) console.log(`${project.file.name}: ${describeStale(each)} (${each.status})`);
    console.log(`${ok} of ${references.length} references are valid; ${updated} lines updated.`);
  }
  return stale.length === 0 ? 0 : 1;
}
