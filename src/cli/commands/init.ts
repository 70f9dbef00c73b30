import { basename, dirname } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { hostNames } from "../../hosts/hosts.ts";
import { type InitPlan, planInit, runInit } from "../../hosts/install/init.ts";
import { findLauncher, isInNpxCache, npxLauncher, shellLine } from "../../hosts/install/launcher.ts";
import { filesWithMachinePaths } from "../../hosts/install/machine-paths.ts";
import { findPlaces, type Places } from "../../hosts/install/places.ts";
import { planSurfaces } from "../../hosts/install/plan-surfaces.ts";
import { actionOf, diffOf } from "../../hosts/install/show-changes.ts";
import { type FileChange, isChange, writeChanges } from "../../hosts/install/write-changes.ts";
import { packageRoot } from "../../workspace/package.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { showChange } from "../host-commands.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { wrapParagraph } from "../terminal/wrap-text.ts";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("init", args);
  const places = findPlaces(values.user ? "user" : "project", findProject(process.cwd()).root);
  const plan = await planInit(positionals, places, values.npx ? npxLauncher : undefined);
  const config = values.surfaces === undefined ? [] : [planSurfaces(values.surfaces, places)];
  if (plan.hosts.length === 0) {
    throw new HoldfastError(
      "not_found",
      `No host was found here. Name the one you use: holdfast init HOST, with HOST one of ${hostNames.join(", ")}.`,
    );
  }
  if (!values.json) show(plan, config, places, values.diff);
  if (!values["dry-run"]) {
    runInit(plan, places);
    writeChanges(config.filter(isChange), places.scope === "user" ? 0o600 : 0o644);
  }
  const shown = { ...plan, files: [...plan.files, ...config] };
  if (values.json) printJson(report(shown, places, values["dry-run"]));
  else printLines(closing(shown, places, values["dry-run"]));
  return 0;
}

/** A plan as it is shown, with the changes to our own config. */
type ShownPlan = Omit<InitPlan, "files"> & { files: readonly FileChange[] };

function show(
  { hosts, files }: InitPlan,
  config: readonly FileChange[],
  places: Places,
  hasDiff: boolean,
): void {
  if (config.length > 0) console.log("Holdfast");
  for (const file of config) showChange(file, places.root, hasDiff);
  for (const host of hosts) {
    console.log(`${host.title} (${places.scope === "user" ? "all your projects" : places.root})`);
    for (const file of files.filter((change) => change.host === host.name))
      showChange(file, places.root, hasDiff);
  }
}

function closing(plan: ShownPlan, places: Places, isDryRun: boolean): string[] {
  const screen = screenOf();
  const count = plan.files.filter(isChange).length;
  const paths = pathsNotice(plan, places, screen);
  const wrap = (line: string) => wrapParagraph(line, screen);
  if (isDryRun) {
    const changes = `Nothing was written: this was a dry run. ${counted(count, "file")} would change; --diff shows how.`;
    return [...wrap(changes), ...paths];
  }
  const done = count === 0 ? ["Everything is already set up; nothing was changed."] : written(count, plan);
  return [...done.flatMap(wrap), ...paths, "", ...whatNow(plan.hosts, places, screen)];
}

function written(count: number, { next }: ShownPlan): string[] {
  return [`${counted(count, "file")} written.`, ...next];
}

/** Says which files that people commit contain paths of this machine, and what to do about it. */
function pathsNotice({ files }: ShownPlan, places: Places, screen: Screen): string[] {
  const paths = filesWithMachinePaths(files, places);
  const cache = isInNpxCache()
    ? ["This program is in the cache of npx, which npm may clear. To keep it: npm install --global holdfast."]
    : [];
  const notice =
    paths.length === 0
      ? []
      : [
          `These files contain paths of this machine: ${paths.join(", ")}.`,
          'Before you commit them, write "npx holdfast" instead: it works on every machine and starts more slowly. The files of plug-ins keep their paths.',
        ];
  const lines = [...cache, ...notice].flatMap((line) => wrapParagraph(line, screen));
  return paths.length === 0 ? lines : [...lines, `  ${ownCommand()} init --npx`];
}

/** What happens from now on, and how to see it. */
function whatNow(hosts: InitPlan["hosts"], places: Places, screen: Screen): string[] {
  const command = ownCommand();
  const titles = hosts.map(({ title }) => title).join(", ");
  return [
    ...wrapParagraph(
      `What happens now: start ${titles} as usual. It has tools to write down notes, plans and rules, and gets them back after every compaction, /clear, resume and crash.`,
      screen,
    ),
    ...aligned({
      "See it": `${command} serve`,
      "Check it": `${command} doctor`,
      "Lost a plan already?": `${command} rescue`,
      "Undo it": `${command} uninstall${places.scope === "user" ? " --user" : ""}`,
    }),
  ];
}

function aligned(rows: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(rows).map((label) => label.length)) + 2;
  return Object.entries(rows).map(([label, command]) => `  ${label.padEnd(width)}${command}`);
}

function report({ hosts, files, next }: ShownPlan, places: Places, dryRun: boolean) {
  return {
    scope: places.scope,
    root: places.root,
    dryRun,
    hosts: hosts.map(({ name }) => name),
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

/** The words with which the person can start this program again: `holdfast` if the shell finds it. */
export function ownCommand(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (findLauncher(env).command === "holdfast") return "holdfast";
  if (basename(dirname(packageRoot)) === "node_modules") return "npx holdfast";
  return shellLine(["npm", "--prefix", packageRoot, "run", "holdfast", "--"]);
}
