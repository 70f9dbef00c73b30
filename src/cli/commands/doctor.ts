import { accessSync, constants, existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { RetentionRules } from "../../engine/retention.ts";
import { oneLine } from "../../engine/text.ts";
import { examine } from "../../hosts/doctor/examine.ts";
import { type Finding, type HostReport, ok, problem } from "../../hosts/doctor/finding.ts";
import { hosts, hostsNamed } from "../../hosts/hosts.ts";
import { commandName } from "../../hosts/install/launcher.ts";
import { findPlaces } from "../../hosts/install/places.ts";
import { stopAll, throwIfStopped } from "../../hosts/run-program.ts";
import { findDamage } from "../../stores/sqlite/checksums.ts";
import { restoreAdvice } from "../../stores/sqlite/errors.ts";
import { readWorkspaceConfig } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-file.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { type StoreLocation, sqliteFile, storeName } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { findBackups } from "../store-backups.ts";
import { counted, inBytes } from "../terminal/quantities.ts";
import { print, type Screen } from "../terminal/screen.ts";
import { homePath, visibleText } from "../terminal/visible-text.ts";
import { wrapLine } from "../terminal/wrap-text.ts";

export async function doctor(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("doctor", args);
  const named = hostsNamed(positionals);
  const project = findProject(process.cwd());
  const places = findPlaces("project", project.root);
  const live = values.live ? (await import("../../hosts/doctor/live.ts")).checkLive : undefined;
  const reports: HostReport[] = [];
  // The first signal removes the canary before the process ends; the second ends it at once.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stopAll);
  // One at a time: the checks share the store and measure times.
  for (const host of named.length > 0 ? named : hosts) {
    const isNamed = named.length > 0;
    reports.push(await examine(host, { project, places, isNamed, ...(live ? { live } : {}) }));
    throwIfStopped();
  }
  const config = await explainProblems(readWorkspaceConfig(project));
  const damage = damageOf(findWorkspace({}).store);
  const store = damage === undefined ? await examineStore() : [];
  const trouble = damage ?? generalTrouble(reports);
  const isHealthy =
    trouble === undefined &&
    config.length === 0 &&
    !store.some(isProblem) &&
    reports.every(({ findings }) => !findings.some(isProblem));
  print(
    values,
    { ok: isHealthy, root: project.root, config, hosts: reports, ...(trouble ? { trouble } : {}), store },
    (screen) => renderDoctor({ reports, config, trouble, store }, screen),
  );
  return isHealthy ? 0 : 1;
}

/** How long things are kept, what the store takes, and its copies; nothing if no store can be opened. */
async function examineStore(): Promise<Finding[]> {
  const memory = await openExistingMemory({ onWarning: () => {} }).catch(() => undefined);
  if (!memory) return [];
  try {
    const { store } = findWorkspace();
    const bytes = await memory.retention.size();
    const place = homePath(storeName(store));
    const size = bytes === undefined ? place : `${inBytes(bytes)} in ${place}`;
    return [
      ok("kept", describeRules(memory.retention.rules)),
      ok("size", size),
      ...(store.kind === "sqlite" ? [ok("backups", describeBackups(findBackups(store.file)))] : []),
      ...(isWritable(store.file) ? [] : [readOnly(store.file)]),
    ];
  } finally {
    await memory.close();
  }
}

function isWritable(file: string): boolean {
  try {
    if (file !== "") for (const path of [file, dirname(file)]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readOnly(file: string): Finding {
  const detail = `${file} is read-only, so no memory can be written.`;
  return problem("store", detail, "Make the file and its directory writable.");
}

function describeRules({ historyDays, ledgerDays, deletedDays, archivedDays }: RetentionRules): string {
  const kept = { history: historyDays, "model calls": ledgerDays };
  const removed = { "deleted sessions": deletedDays, "archived sessions": archivedDays };
  const all = Object.entries({ ...kept, ...removed });
  if (all.every(([, days]) => days === 0)) return "Everything. Retention is off.";
  return `${all.map(([what, days]) => `${what} ${days === 0 ? "no limit" : counted(days, "day")}`).join(", ")}.`;
}

function describeBackups(files: readonly string[]): string {
  if (files.length === 0) return "No copy next to it.";
  const copies = files.length === 1 ? "1 copy" : `${files.length} copies`;
  return `${copies} next to it: ${files.map((path) => basename(path)).join(", ")}`;
}

/** The damage of a SQLite store, and how to restore its backup. */
function damageOf(store: StoreLocation): string | undefined {
  const path = sqliteFile(store);
  if (path === undefined || !existsSync(path)) return undefined;
  try {
    const damage = findDamage(path);
    return damage === undefined ? undefined : `${path} is damaged. ${damage} ${restoreAdvice(path)}`;
  } catch {
    // A locked or foreign file: the next open reports it.
    return undefined;
  }
}

function isProblem({ status }: Finding): boolean {
  return status === "problem";
}

/** If hosts are installed but none is connected, no memory is kept at all. */
function generalTrouble(reports: readonly HostReport[]): string | undefined {
  const present = reports.filter(({ isPresent }) => isPresent);
  if (reports.some(({ isWired }) => isWired) || present.length === 0) return undefined;
  return `Installed, not connected yet: ${present.map(({ title }) => title).join(", ")}. Run ${commandName()} init.`;
}

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
const notRunnable =
  "The checks pass, but none of these coding agents is on the PATH, so nothing uses this memory yet.";

/** The report of `holdfast doctor`, by host, and the number of problems. */
export function renderDoctor({ reports, config, trouble, store }: Diagnosis, screen: Screen): string[] {
  const settings = config.map((detail): Finding => problem("config", detail, "Correct the setting there."));
  const shown = reports.filter(({ findings }) => findings.length > 0);
  const absent = reports.filter(({ findings }) => findings.length === 0).map(({ title }) => title);
  const problems = [...settings, ...store, ...shown.flatMap(({ findings }) => findings)].filter(
    ({ status }) => status === "problem",
  ).length;
  return [
    ...(settings.length > 0 ? [screen.paint("bold", "Configuration")] : []),
    ...settings.flatMap((finding) => renderFinding(finding, screen)),
    ...shown.flatMap(({ title, findings }) => [
      screen.paint("bold", title),
      ...findings.flatMap((finding) => renderFinding(finding, screen)),
    ]),
    ...(absent.length > 0 ? [screen.paint("dim", `Not found: ${absent.join(", ")}.`)] : []),
    ...(store.length > 0 ? [screen.paint("bold", "Store")] : []),
    ...store.flatMap((finding) => renderFinding(finding, screen)),
    ...(trouble === undefined ? [] : [trouble]),
    ...(problems > 0 ? [`${counted(problems, "problem")}.`] : []),
    ...(problems === 0 && trouble === undefined ? [conclusionOf(shown)] : []),
  ];
}

/** A folder of a coding agent may be all that is left of it. */
function conclusionOf(shown: readonly HostReport[]): string {
  if (shown.length === 0)
    return `No coding agent was found here. To connect yours: ${commandName()} init HOST.`;
  const isMissing = ({ check, detail }: Finding) =>
    check === "version" && detail.endsWith("not on the PATH.");
  return shown.every(({ findings }) => findings.some(isMissing)) ? notRunnable : allWell;
}

function renderFinding({ check, status, detail, remedy }: Finding, screen: Screen): string[] {
  const text = `${check.padEnd(13)} ${oneLine(visibleText(detail), maxDetail)}`;
  return [
    ...wrapLine(`  ${screen.paint(styles[status], labels[status])}  ${text}`, screen, indent),
    ...(remedy === undefined ? [] : [`${indent}→ ${visibleText(remedy)}`]),
  ];
}
