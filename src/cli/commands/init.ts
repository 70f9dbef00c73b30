import { HoldfastError } from "../../errors.ts";
import { hostNames } from "../../hosts/hosts.ts";
import { type InitPlan, planInit, runInit } from "../../hosts/install/init.ts";
import { findPlaces, type Places } from "../../hosts/install/places.ts";
import { planSurfaces } from "../../hosts/install/plan-surfaces.ts";
import { actionOf, diffOf } from "../../hosts/install/show-changes.ts";
import { type FileChange, isChange, writeChanges } from "../../hosts/install/write-changes.ts";
import { findProject } from "../../workspace/project.ts";
import { readHostArguments, showChange } from "../host-commands.ts";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readHostArguments(args, {
    "dry-run": { type: "boolean", default: false },
    user: { type: "boolean", default: false },
    surfaces: { type: "string" },
  });
  const places = findPlaces(values.user ? "user" : "project", findProject(process.cwd()).root);
  const plan = await planInit(positionals, places);
  const config = values.surfaces === undefined ? [] : [planSurfaces(values.surfaces, places)];
  if (plan.hosts.length === 0) {
    throw new HoldfastError(
      "not_found",
      `No host was found here. Name the one you use: holdfast init HOST, with HOST one of ${hostNames.join(", ")}.`,
    );
  }
  if (!values.json) show(plan, config, places);
  if (!values["dry-run"]) {
    runInit(plan, places);
    writeChanges(config.filter(isChange), places.scope === "user" ? 0o600 : 0o644);
  }
  const shown = { ...plan, files: [...plan.files, ...config] };
  if (values.json) console.log(JSON.stringify(report(shown, places, values["dry-run"]), null, 2));
  else console.log(closing(shown, places, values["dry-run"]));
  return 0;
}

/** A plan as it is shown, with the changes to our own config. */
type ShownPlan = Omit<InitPlan, "files"> & { files: readonly FileChange[] };

function show({ hosts, files }: InitPlan, config: readonly FileChange[], places: Places): void {
  if (config.length > 0) console.log("Holdfast");
  for (const file of config) showChange(file);
  for (const host of hosts) {
    console.log(`${host.title} (${places.scope === "user" ? "all your projects" : places.root})`);
    for (const file of files.filter((change) => change.host === host.name)) showChange(file);
  }
}

function closing({ files, next }: ShownPlan, places: Places, isDryRun: boolean): string {
  const count = files.filter(isChange).length;
  if (isDryRun) return `Nothing was written: this was a dry run. ${count} files would change.`;
  if (count === 0) return "Everything is already set up; nothing was changed.";
  return [
    `${count} ${count === 1 ? "file" : "files"} written.`,
    ...next,
    `Check it: holdfast doctor. Undo it: holdfast uninstall${places.scope === "user" ? " --user" : ""}.`,
  ].join("\n");
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
    next,
  };
}
