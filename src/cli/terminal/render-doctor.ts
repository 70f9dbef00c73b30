import { oneLine } from "../../engine/text.ts";
import type { Finding, HostReport } from "../../hosts/doctor/finding.ts";
import { counted } from "./quantities.ts";
import type { Screen } from "./screen.ts";
import { visibleText } from "./visible-text.ts";
import { wrapSpans } from "./wrap-text.ts";

/** The findings of doctor. */
export interface Diagnosis {
  reports: readonly HostReport[];
  /** Problems of the config files. */
  config: readonly string[];
  /** Why no memory is kept at all. */
  trouble: string | undefined;
  /** The retention rules, and the size of the store. */
  store: readonly Finding[];
}

const labels = { ok: "ok     ", note: "note   ", problem: "PROBLEM" } as const;
const styles = { ok: "green", note: "yellow", problem: "red" } as const;
/** Where the details begin. */
const indent = " ".repeat(25);
const maxDetail = 600;

const allWell = "No problems found.";
const nothingFound = "No coding agent was found here. To connect yours: holdfast init HOST.";

/** The report of `holdfast doctor`, by host, and the number of problems. */
export function renderDoctor({ reports, config, trouble, store }: Diagnosis, screen: Screen): string[] {
  const settings = config.map((detail): Finding => ({ check: "config", status: "problem", detail }));
  const shown = reports.filter(({ findings }) => findings.length > 0);
  const absent = reports.filter(({ findings }) => findings.length === 0).map(({ title }) => title);
  const problems = [...settings, ...store, ...shown.flatMap(({ findings }) => findings)].filter(
    ({ status }) => status === "problem",
  ).length;
  const paragraph = (text: string, style?: "dim") =>
    wrapSpans([{ text, ...(style && { style }) }], "", "", screen);
  return [
    ...(settings.length > 0 ? [screen.paint("bold", "Configuration")] : []),
    ...settings.flatMap((finding) => renderFinding(finding, screen)),
    ...shown.flatMap(({ title, findings }) => [
      screen.paint("bold", title),
      ...findings.flatMap((finding) => renderFinding(finding, screen)),
    ]),
    ...(absent.length > 0 ? paragraph(`Not found: ${absent.join(", ")}.`, "dim") : []),
    ...(store.length > 0 ? [screen.paint("bold", "Store")] : []),
    ...store.flatMap((finding) => renderFinding(finding, screen)),
    ...(trouble === undefined ? [] : paragraph(trouble)),
    ...(problems > 0 ? [`${counted(problems, "problem")}.`] : []),
    ...(problems === 0 && trouble === undefined ? paragraph(shown.length > 0 ? allWell : nothingFound) : []),
  ];
}

function renderFinding({ check, status, detail, remedy }: Finding, screen: Screen): string[] {
  const first = `  ${screen.paint(styles[status], labels[status])}  `;
  const text = `${check.padEnd(13)} ${oneLine(visibleText(detail), maxDetail)}`;
  const lines = wrapSpans([{ text }], first, indent, screen);
  if (remedy === undefined) return lines;
  return [...lines, ...wrapSpans([{ text: `→ ${visibleText(remedy)}` }], indent, `${indent}  `, screen)];
}
