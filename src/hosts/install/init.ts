import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { userConfigFile } from "../../workspace/config.ts";
import { packageRoot } from "../../workspace/package.ts";
import { settings } from "../../workspace/settings.ts";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { hosts, hostsNamed } from "../hosts.ts";
import { type FileChange, isChange, makeFolders, readConfig, textOf, writeChanges } from "./config-file.ts";
import { detect, launcherFor } from "./detect.ts";
import { setJson } from "./json-text.ts";
import { copyFolder, installedRoot, type Launcher, portableLauncher } from "./launcher.ts";
import type { Piece } from "./piece.ts";
import { locationOf, type Places } from "./places.ts";
import {
  hashOf,
  type InstalledFile,
  type InstallRecord,
  isRecorded,
  readCopy,
  readOtherRecords,
  readRecord,
  writeRecord,
} from "./record.ts";

export interface InitPlan {
  hosts: Host[];
  files: PlannedFile[];
  /** The user's steps before it works. */
  next: string[];
}

interface PlannedFile extends FileChange {
  pieces: readonly Piece[];
}

/** The pieces of one host, grouped by file. */
export function piecesByFile(setup: HostSetup, places: Places, launcher: Launcher): Map<string, Piece[]> {
  return Map.groupBy(setup.pieces(places, launcher), ({ path, within }) => readConfig(path, within).path);
}

/** Plans what init writes: for the named hosts, or for those it detects. Changes nothing. */
export async function planInit(
  names: readonly string[],
  places: Places,
  launcher?: Launcher,
): Promise<InitPlan> {
  const plan: InitPlan = { hosts: [], files: [], next: [] };
  for (const host of names.length > 0 ? hostsNamed(names) : hosts) {
    const setup = await host.setup();
    if (names.length === 0 && !detect(host, setup, { ...places, scope: "project" })) continue;
    plan.hosts.push(host);
    const next = setup.next?.(places);
    if (next !== undefined) plan.next.push(next);
    // Nobody commits a config that is for all projects.
    const given = launcher === portableLauncher && setup.hasOneConfig ? undefined : launcher;
    const chosen = given ?? launcherFor(setup, places);
    for (const [path, pieces] of piecesByFile(setup, places, chosen)) {
      const file = readConfig(path);
      const after = pieces.reduce((text, piece) => piece.add(text), textOf(file));
      plan.files.push({ host: host.name, path, before: file.bytes, after: Buffer.from(after), pieces });
    }
  }
  return plan;
}

/** Writes the plan, and the record that uninstall needs to revert it. */
export function runInit(plan: InitPlan, places: Places): void {
  const changes = plan.files.filter(isChange);
  const earlier = readRecord(places);
  const elsewhere = readOtherRecords(places);
  // Another project's init wrote the same file, which has to stay if that one is undone.
  const shared = plan.files.filter(
    (file) => !isChange(file) && isRecorded(file, elsewhere) && !isRecorded(file, earlier.files),
  );
  const recorded = [...changes, ...shared];
  if (recorded.length === 0) return;
  const known = [...earlier.files, ...elsewhere];
  const originals = recorded.map((file) => originalOf(file, known, places));
  const entries = recorded.map(({ host, path, after }, index): InstalledFile => {
    const original = originals[index];
    const folders = known.find((file) => file.path === path)?.folders ?? [];
    return { host, path, before: original ? hashOf(original) : null, after: hashOf(after ?? ""), folders };
  });
  const others = earlier.files.filter((file) => !isRecorded(file, entries));
  const record: InstallRecord = { ...earlier, files: [...others, ...entries] };
  // Write the record first, so that uninstall knows every file even after a crash.
  writeRecord(
    places,
    record,
    originals.filter((bytes) => bytes !== undefined),
  );
  try {
    const made = writeChanges(changes, places.scope === "user" ? 0o600 : 0o644);
    for (const entry of entries)
      entry.folders = [...new Set([...entry.folders, ...(made.get(entry.path) ?? [])])];
  } catch (error) {
    writeRecord(places, earlier, []);
    throw error;
  }
  writeRecord(places, record, []);
}

/** The file before our first change, with the user's later changes. */
function originalOf(
  { path, before, pieces }: PlannedFile,
  known: readonly InstalledFile[],
  places: Places,
): Buffer | undefined {
  const earlier = known.find((file) => file.path === path);
  if (!earlier || before === undefined) return before;
  const original = readCopy(places, earlier.before);
  if (hashOf(before) === earlier.after) return original;
  return withoutPieces(before, original, pieces);
}

/** A file without our parts; undefined if we had some, nothing else is left, and no file is known to have existed before. */
export function withoutPieces(
  bytes: Buffer,
  original: Buffer | undefined,
  pieces: readonly Piece[],
): Buffer | undefined {
  const path = pieces[0]?.path ?? "";
  const before = textOf({ path, bytes: original });
  const whole = textOf({ path, bytes });
  const text = pieces.reduce((rest, piece) => piece.remove(rest, before), whole);
  if (text === whole) return bytes;
  const isEmpty = /^\s*(?:\{\s*\}\s*)?$/.test(text);
  return isEmpty && original === undefined ? undefined : Buffer.from(text);
}

/** The project's files, which people commit, into which a plan writes paths of this machine. Relative to the root. */
export function filesWithMachinePaths(files: readonly FileChange[], { scope, root, env }: Places): string[] {
  if (scope === "user") return [];
  const program = installedRoot(env);
  const own = [process.execPath, program, pathToFileURL(program).href];
  const written = [...own, ...own.map((path) => JSON.stringify(path).slice(1, -1))];
  return files
    .filter((file) => isChange(file) && written.some((path) => file.after?.includes(path)))
    .map(({ path }) => relative(root, path))
    .filter((path) => !path.startsWith(".."));
}

/** The surfaces in the value of a flag. */
export function readSurfaces(list: string): NonNullable<Places["surfaces"]> {
  const { kind } = settings.surfaces;
  const surfaces = kind.read(kind.parse(list));
  if (surfaces === undefined || surfaces.length === 0)
    throw new HoldfastError(
      "invalid_input",
      `--surfaces must be ${kind.expected} (got ${JSON.stringify(list)}).`,
    );
  return surfaces;
}

/** Plans to write the chosen surfaces to our own config. `uninstall` leaves that file alone: it is the user's. */
export function planSurfaces(surfaces: NonNullable<Places["surfaces"]>, places: Places): FileChange {
  const own = places.scope === "user" ? userConfigFile(places.env) : join(places.root, "holdfast.json");
  const { path, within } = locationOf(places, own);
  const file = readConfig(path, within);
  const after = setJson(textOf(file), ["surfaces"], surfaces, path);
  return { host: "holdfast", path: file.path, before: file.bytes, after: Buffer.from(after) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Copies this program with its dependencies, which are next to it in the same folder, to a place that nobody clears.
 * Replaces an earlier copy, so that every host's config leads to the newest. Returns the copy's command file.
 */
export function copyProgram(env: Environment = process.env, root = packageRoot): string {
  const folder = copyFolder(env);
  const [fresh, old] = [`${folder}.${process.pid}.new`, `${folder}.${process.pid}.old`];
  makeFolders(dirname(folder), 0o700);
  try {
    cpSync(dirname(root), join(fresh, "node_modules"), { recursive: true, verbatimSymlinks: true });
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } finally {
    for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true });
  }
  return join(folder, "node_modules", "holdfast", "dist", "cli.js");
}
