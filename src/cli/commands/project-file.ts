import { undoChange } from "../../surfaces/project/edit/change-notes.ts";
import { initProject } from "../../surfaces/project/init.ts";
import { projectStatus } from "../../surfaces/project/status.ts";
import { printJson } from "../terminal/screen.ts";
import type { ProjectArguments } from "./project.ts";

export async function init({ project, json }: ProjectArguments): Promise<number> {
  const { name, ignored } = initProject(project);
  const next = ignored
    ? "Git ignores it: remove it from .gitignore to share it."
    : "Commit it with the code.";
  if (json) printJson({ ok: true, file: name, ignored });
  else console.log(`Wrote ${name}. ${next}`);
  return 0;
}

export async function undo({ project, json }: ProjectArguments): Promise<number> {
  const undone = undoChange(project.file);
  if (json) printJson({ ok: true, ...undone });
  else console.log(`Undid ${undone.operation} of ${undone.at}.`);
  return 0;
}

export async function status({ project, json }: ProjectArguments): Promise<number> {
  const known = projectStatus(project);
  if (json) {
    printJson(known);
    return 0;
  }
  const debt = Object.entries(known.debt).filter(([, count]) => count > 0);
  const rows: [string, string][] = [
    ["File", `${known.file} (${known.bytes} bytes)`],
    ["Task", known.task],
    ["Checkpoint", known.checkpoint],
    ["State", known.state],
    ["Decisions", `${known.decisions} in the log, ${known.archived} archived`],
    ["Goals", `${known.goals.open} open, ${known.goals.done} done`],
    ["Questions", `${known.questions} open`],
    ["Debt", debt.map(([name, count]) => `${count} ${name}`).join(", ") || "none"],
    ["Blockers", `${known.blockers} open`],
    ["References", `${known.references.ok} valid, ${known.references.stale} stale`],
    ["Handoffs", String(known.handoffs)],
    ["Sessions", known.sessions.join(", ") || "none"],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(12)}${value || "none"}`);
  for (const { line, blocker, reason } of known.mayHaveResolved)
    console.log(`Line ${line}: "${blocker}" may have resolved: ${reason}.`);
  return 0;
}
