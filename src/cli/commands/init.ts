import { spawnSync } from "node:child_process";
import { HoldfastError } from "../../errors.ts";
import { hostNames, hosts, hostsNamed } from "../../hosts/hosts.ts";
import { wiredPlaces } from "../../hosts/install/detect.ts";
import { type InitPlan, planInit, runInit } from "../../hosts/install/init.ts";
import { isInNpxCache, npxLauncher, ownCommand } from "../../hosts/install/launcher.ts";
import { filesWithMachinePaths } from "../../hosts/install/machine-paths.ts";
import { copyFolder, copyProgram } from "../../hosts/install/own-copy.ts";
import { findPlaces, type Places } from "../../hosts/install/places.ts";
import { planSurfaces, readSurfaces } from "../../hosts/install/plan-surfaces.ts";
import { actionOf, diffOf } from "../../hosts/install/show-changes.ts";
import { type FileChange, isChange, writeChanges } from "../../hosts/install/write-changes.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { showChange } from "../host-commands.ts";
import { ask, isAtTerminal } from "../terminal/ask.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { wrapParagraph } from "../terminal/wrap-text.ts";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("init", args);
  if (values.user && values.project) throw new HoldfastError("invalid_input", oneScope);
  const isDryRun = values["dry-run"];
  if (isInNpxCache() && !values.npx && !isDryRun) return runCopy(args, values.json);
  const surfaces = values.surfaces === undefined ? undefined : readSurfaces(values.surfaces);
  const place = findPlaces("user", findProject(process.cwd()).root);
  const scope = values.project || values.npx ? "project" : values.user ? "user" : undefined;
  const places = { ...place, scope: scope ?? (await scopeInUse(positionals, place)), surfaces };
  const plan = await planInit(positionals, places, values.npx ? npxLauncher : undefined);
  const config = surfaces === undefined ? [] : [planSurfaces(surfaces, places)];
  if (plan.hosts.length === 0) {
    throw new HoldfastError(
      "not_found",
      `No host was found here. Name the one you use: holdfast init HOST, with HOST one of ${hostNames.join(", ")}.`,
    );
  }
  if (!values.json) show(plan, config, places, values.diff);
  const shown = { ...plan, files: [...plan.files, ...config] };
  const isAsked = scope === undefined && !isDryRun && !values.json && isAtTerminal();
  if (isAsked && shown.files.some(isChange) && !(await isWanted(shown.files, places))) return 0;
  if (!isDryRun) {
    runInit(plan, places);
    writeChanges(config.filter(isChange), places.scope === "user" ? 0o600 : 0o644);
  }
  if (values.json) printJson(report(shown, places, isDryRun));
  else printLines(await closing(shown, places, isDryRun));
  return 0;
}

export const oneScope = "Give either --user or --project, not both.";

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
  console.log(`Nothing was changed.${other}`);
  return false;
}

/** Runs init from a copy of the user's own: npm may clear the cache of npx, and the hosts would point into it. */
function runCopy(args: readonly string[], isQuiet: boolean): number {
  const command = copyProgram();
  if (!isQuiet)
    console.log(
      `npm may clear the cache that this program runs from, so hosts get a copy: ${copyFolder()}\n`,
    );
  const { status } = spawnSync(process.execPath, [command, "init", ...args], { stdio: "inherit" });
  return status ?? 1;
}

/** A plan as it is shown, with the changes to our own config. */
type ShownPlan = Omit<InitPlan, "files"> & { files: readonly FileChange[] };

function show(
  { hosts: chosen, files }: InitPlan,
  config: readonly FileChange[],
  places: Places,
  hasDiff: boolean,
): void {
  if (config.length > 0) console.log("Holdfast");
  for (const file of config) showChange(file, places.root, hasDiff);
  for (const host of chosen) {
    console.log(`${host.title} (${places.scope === "user" ? "all your projects" : places.root})`);
    for (const file of files.filter((change) => change.host === host.name))
      showChange(file, places.root, hasDiff);
  }
}

async function closing(plan: ShownPlan, places: Places, isDryRun: boolean): Promise<string[]> {
  const screen = screenOf();
  const count = plan.files.filter(isChange).length;
  const paths = pathsNotice(plan, places, screen);
  const wrap = (line: string) => wrapParagraph(line, screen);
  if (isDryRun) {
    const changes = `Nothing was written: this was a dry run. ${counted(count, "file")} would change; --diff shows how.`;
    return [...wrap(changes), ...paths];
  }
  const done = count === 0 ? ["Everything is already set up; nothing was changed."] : written(count, plan);
  const shared = places.scope === "project" ? sharedNotice(plan) : [];
  const now = await whatNow(plan.hosts, screen);
  return [...done.flatMap(wrap), ...paths, ...shared.flatMap(wrap), "", ...now];
}

/** What the project's files mean for other people. */
function sharedNotice({ files, hosts: chosen }: ShownPlan): string[] {
  if (!files.some(isChange) || chosen.length === 0) return [];
  return [
    "For a teammate without Holdfast, the hooks do nothing: no output, exit code 0. Their client lists the server holdfast as one that did not start.",
  ];
}

function written(count: number, { next }: ShownPlan): string[] {
  return [`${counted(count, "file")} written.`, ...next];
}

/** Says which files that people commit contain paths of this machine, and what to do about it. */
function pathsNotice({ files }: ShownPlan, places: Places, screen: Screen): string[] {
  const paths = filesWithMachinePaths(files, places);
  const notice =
    paths.length === 0
      ? []
      : [
          `These files contain paths of this machine: ${paths.join(", ")}.`,
          'Before you commit them, write "npx holdfast" instead: the server then starts on every machine, and the hooks run where holdfast is installed (npm install --global holdfast). The files of plug-ins keep their paths.',
        ];
  const lines = notice.flatMap((line) => wrapParagraph(line, screen));
  return paths.length === 0 ? lines : [...lines, `  ${ownCommand()} init --npx`];
}

/** What happens from now on, and how to see it. */
async function whatNow(chosen: InitPlan["hosts"], screen: Screen): Promise<string[]> {
  const command = ownCommand();
  const titles = chosen.map(({ title }) => title).join(", ");
  const setups = await Promise.all(chosen.map((host) => host.setup()));
  const resumes = setups.flatMap(({ resume }) => resume ?? []);
  const open =
    resumes.length === 0
      ? []
      : [
          `A conversation that is open now does not have the tools yet. To continue it with them, end it and run: ${resumes.join(", or ")}.`,
        ];
  return [
    ...[
      `What happens now: start ${titles} as usual. It has tools to write down what it needs later, and gets that back after every compaction, /clear, resume and crash.`,
      ...open,
    ].flatMap((line) => wrapParagraph(line, screen)),
    ...aligned({
      "See it": `${command} serve`,
      "Check it": `${command} doctor`,
      "Lost a plan already?": `${command} rescue`,
      "Undo it": `${command} uninstall`,
    }),
  ];
}

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
    files: files.map((file) => ({
      host: file.host,
      path: file.path,
      action: actionOf(file),
      diff: isChange(file) ? diffOf(file) : [],
    })),
    machinePaths: filesWithMachinePaths(files, places),
    next,
  };
}
