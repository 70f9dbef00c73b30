import { spawnSync } from "node:child_process";
import { isAbsolute, join, relative } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { hostNames, hosts, hostsNamed } from "../../hosts/hosts.ts";
import {
  actionOf,
  diffOf,
  type FileChange,
  isChange,
  writeChanges,
} from "../../hosts/install/config-file.ts";
import { wiredPlaces } from "../../hosts/install/detect.ts";
import {
  copyProgram,
  filesWithMachinePaths,
  type InitPlan,
  planInit,
  planSurfaces,
  readSurfaces,
  runInit,
} from "../../hosts/install/init.ts";
import {
  commandName,
  copyFolder,
  isInNpxCache,
  isInstalled,
  ownCommand,
  portableLauncher,
  projectOfProgram,
} from "../../hosts/install/launcher.ts";
import { findPlaces, type Places } from "../../hosts/install/places.ts";
import { changeRecords } from "../../hosts/install/record.ts";
import { planUninstall, runUninstall, type UninstallPlan } from "../../hosts/install/uninstall.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { counted } from "../terminal/quantities.ts";
import { ask, isAtTerminal, print, printLines, type Screen } from "../terminal/screen.ts";
import { homePath, visibleText } from "../terminal/visible-text.ts";

export async function init(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("init", args);
  if (values.user && values.project) throw new HoldfastError("invalid_input", oneScope);
  const isDryRun = values["dry-run"];
  const isPortable = values.portable;
  if (isInNpxCache() && !isPortable && !isDryRun) return runCopy(args, values.json);
  const surfaces = values.surfaces === undefined ? undefined : readSurfaces(values.surfaces);
  const place = findPlaces("user", findProject(process.cwd()).root);
  const scope = values.project || isPortable ? "project" : values.user ? "user" : undefined;
  const places = { ...place, scope: scope ?? (await scopeInUse(positionals, place)), surfaces };
  const plan = await planInit(positionals, places, isPortable ? portableLauncher : undefined);
  const config = surfaces === undefined ? [] : [planSurfaces(surfaces, places)];
  if (plan.hosts.length === 0) {
    throw new HoldfastError(
      "not_found",
      `No coding agent was found here. Name the one you use: ${commandName()} init HOST, with HOST one of ${hostNames.join(", ")}.`,
    );
  }
  if (!values.json) printLines((screen) => describe(plan, config, places, values.diff, screen));
  const shown = { ...plan, files: [...plan.files, ...config] };
  const isAsked = scope === undefined && !isDryRun && !values.json && isAtTerminal();
  if (isAsked && shown.files.some(isChange) && !(await isWanted(shown.files, places))) return 0;
  if (!isDryRun) {
    await changeRecords(places, () => runInit(plan, places));
    writeChanges(config.filter(isChange), places.scope === "user" ? 0o600 : 0o644);
  }
  const lines = await closing(shown, places, { isDryRun, isPortable });
  print(values, report(shown, places, isDryRun), () => lines);
  return 0;
}

const oneScope = "Give either --user or --project, not both.";

/** The project's files if one of the hosts is set up there already, otherwise the user's own. */
async function scopeInUse(names: readonly string[], places: Places): Promise<Places["scope"]> {
  for (const host of names.length > 0 ? hostsNamed(names) : hosts) {
    const setup = await host.setup();
    const scopes = wiredPlaces(host, setup, places).map(({ scope }) => scope);
    if (!setup.hasOneConfig && scopes.includes("project") && !scopes.includes("user")) return "project";
  }
  return "user";
}

/** Asks once, after the files were listed. */
async function isWanted(files: readonly FileChange[], { scope }: Places): Promise<boolean> {
  const whose = scope === "user" ? "yours alone, nothing goes into git" : "the project's";
  const question = `\nWrite ${counted(files.filter(isChange).length, "file")}? They are ${whose}. [Y/n] `;
  if (/^(?:y|yes|)$/i.test((await ask(question)) ?? "no")) return true;
  const other = scope === "user" ? ` "${ownCommand()} init --project" sets up this project instead.` : "";
  printLines([`Nothing was changed.${other}`]);
  return false;
}

/** Runs init from a copy of the user's own: npm may clear the cache of npx, and the hosts would point into it. */
function runCopy(args: readonly string[], isQuiet: boolean): number {
  const command = copyProgram();
  if (!isQuiet)
    printLines([
      `npm may clear the cache that this program runs from, so coding agents get a copy: ${copyFolder()}`,
      "",
    ]);
  const { status } = spawnSync(process.execPath, [command, "init", ...args], { stdio: "inherit" });
  return status ?? 1;
}

/** A plan as it is shown, with the changes to our own config. */
type ShownPlan = Omit<InitPlan, "files"> & { files: readonly FileChange[] };

/** The files of each coding agent, and what happens to them. */
function describe(
  { hosts: chosen, files }: InitPlan,
  config: readonly FileChange[],
  { scope, root }: Places,
  hasDiff: boolean,
  screen: Screen,
): string[] {
  const changes = (each: readonly FileChange[]) =>
    each.flatMap((file) => describeChange(file, root, hasDiff, screen));
  return [
    ...(config.length > 0 ? ["Holdfast", ...changes(config)] : []),
    ...chosen.flatMap(({ name, title }) => [
      `${title} (${scope === "user" ? "all your projects" : root})`,
      ...changes(files.filter((change) => change.host === name)),
    ]),
  ];
}

async function closing(
  plan: ShownPlan,
  places: Places,
  { isDryRun, isPortable }: { isDryRun: boolean; isPortable: boolean },
): Promise<string[]> {
  const count = plan.files.filter(isChange).length;
  const notices = [
    ...pathsNotice(plan, places),
    ...projectNotice(places),
    ...(isPortable && !isInstalled(places.env) ? [missingNotice] : []),
  ];
  if (isDryRun)
    return [
      `Nothing was written: this was a dry run. ${counted(count, "file")} would change; --diff shows how.`,
      ...notices,
    ];
  return [
    ...(count === 0
      ? ["Everything is already set up. Nothing was changed."]
      : [`${counted(count, "file")} written.`, ...plan.next]),
    ...notices,
    ...(places.scope === "project" ? sharedNotice(plan) : []),
    "",
    ...(await whatNow(plan.hosts, count > 0)),
  ];
}

/** The effect of the project's files on other people. */
function sharedNotice({ files, hosts: chosen }: ShownPlan): string[] {
  if (!files.some(isChange) || chosen.length === 0) return [];
  const server =
    process.platform === "win32"
      ? "Their client reports that the server holdfast did not start."
      : "The server starts and offers no tools, which some clients report in one line.";
  return [`For a teammate without Holdfast, the hooks do nothing: no output, exit code 0. ${server}`];
}

/** Lists the committed files that contain paths of this machine, and the next step. */
function pathsNotice({ files }: ShownPlan, places: Places): string[] {
  const paths = filesWithMachinePaths(files, places);
  if (paths.length === 0) return [];
  return [
    `These files contain paths of this machine: ${paths.join(", ")}.`,
    "Before you commit them, replace these paths. Server and hooks then run wherever holdfast is installed (npm install --global holdfast). The files of plugins keep their paths.",
    `  ${ownCommand()} init --portable`,
  ];
}

const missingNotice =
  "These files start the holdfast that is on the PATH, and there is none here. Until you install it, they do nothing: npm install --global holdfast";

/** The person's own files, for all projects, start a program that goes away with one project. */
function projectNotice({ scope, env }: Places): string[] {
  const project = scope === "user" && ownCommand(env) !== "holdfast" ? projectOfProgram(env) : undefined;
  if (project === undefined) return [];
  return [
    `These files are for all your projects, but they start the program in ${join(project, "node_modules")}. If you remove it, they stop working. To be independent of it: npm install --global holdfast, then holdfast init.`,
  ];
}

/** The next steps after init. */
async function whatNow(chosen: InitPlan["hosts"], isNew: boolean): Promise<string[]> {
  const command = ownCommand();
  const titles = chosen.map(({ title }) => title);
  const they =
    chosen.length === 1
      ? "It can now write notes, and gets them back"
      : "They can now write notes, and get them back";
  const setups = await Promise.all(chosen.map((host) => host.setup()));
  const resumes = setups.flatMap(({ resume }) => resume ?? []);
  const open =
    resumes.length === 0 || !isNew
      ? []
      : [
          `A conversation that is open now does not have the tools yet. To continue it with them, end it and run: ${resumes.join(", or ")}.`,
        ];
  return [
    `Start ${alternatives.format(titles)} as usual. ${they} after each compaction, resume and crash.`,
    ...open,
    ...aligned({
      "See it": `${command} serve`,
      "Check it": `${command} doctor`,
      "Lost a plan already?": `${command} rescue`,
      "Undo it": `${command} uninstall`,
    }),
  ];
}

const alternatives = new Intl.ListFormat("en-US", { type: "disjunction" });

function aligned(rows: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(rows).map((label) => label.length)) + 2;
  return Object.entries(rows).map(([label, command]) => `  ${label.padEnd(width)}${command}`);
}

function report({ hosts: chosen, files, next }: ShownPlan, places: Places, dryRun: boolean) {
  return {
    scope: places.scope,
    root: places.root,
    dryRun,
    hosts: chosen.map(({ name }) => name),
    files: files.map(reportChange),
    machinePaths: filesWithMachinePaths(files, places),
    next,
  };
}

function reportChange(file: FileChange) {
  return {
    host: file.host,
    path: file.path,
    action: actionOf(file),
    diff: isChange(file) ? diffOf(file) : [],
  };
}

/** A path in the project relative to its root, any other as people write it. */
function pathIn(root: string, path: string): string {
  const short = relative(root, path);
  return short.startsWith("..") || isAbsolute(short) ? homePath(path) : short;
}

/** One file, by its path in the project, and what happens to it; with `hasDiff`, line by line. */
function describeChange(file: FileChange, root: string, hasDiff: boolean, { paint }: Screen): string[] {
  const lines = isChange(file) ? diffOf(file) : [];
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  const size = [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].filter((part) => part !== "");
  const facts = size.length === 0 ? "" : paint("dim", `  ${size.join(" ")} lines`);
  const styleOf = (line: string) => (line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim");
  return [
    `  ${actionOf(file).padEnd(9)} ${paint("bold", pathIn(root, file.path))}${facts}`,
    ...(hasDiff ? lines.map((line) => `    ${paint(styleOf(line), visibleText(line))}`) : []),
  ];
}

const bothScopes = ["project", "user"] as const;

export async function uninstall(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("uninstall", args);
  if (values.user && values.project) throw new HoldfastError("invalid_input", oneScope);
  const { root } = findProject(process.cwd());
  const scopes = values.user ? ["user" as const] : values.project ? ["project" as const] : bothScopes;
  const done: UninstallPlan = { hosts: [], files: [], left: [], shared: [] };
  for (const scope of scopes) {
    const places = findPlaces(scope, root);
    const plan = await planUninstall(positionals, places);
    if (!values["dry-run"]) await changeRecords(places, () => runUninstall(plan, places));
    const isNew = ({ path }: { path: string }) => done.files.every((file) => file.path !== path);
    done.files.push(...plan.files.filter(isNew));
    done.left.push(...plan.left.filter((path) => !done.left.includes(path)));
    done.shared.push(...plan.shared);
  }
  const shared = done.shared.filter((path) => done.files.every((file) => file.path !== path));
  const report = {
    scopes,
    root,
    dryRun: values["dry-run"],
    files: done.files.map(reportChange),
    left: done.left,
    shared,
  };
  print(values, report, (screen) => [
    ...done.files.flatMap((file) => describeChange(file, root, values.diff, screen)),
    ...done.left.map((path) => `  left alone: ${path} was changed since init. Check it yourself.`),
    ...shared.map(
      (path) =>
        `  kept: ${homePath(path)} is needed by other projects. "${commandName()} uninstall --user" removes it.`,
    ),
    values["dry-run"]
      ? "Nothing was changed: this was a dry run."
      : done.files.length + shared.length === 0
        ? "There is nothing to undo. Nothing was changed."
        : `Done. Saved memory stays. "${commandName()} doctor" shows where it is.`,
  ]);
  return 0;
}
