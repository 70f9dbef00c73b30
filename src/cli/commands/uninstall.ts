import { HoldfastError } from "../../errors.ts";
import { findPlaces } from "../../hosts/install/places.ts";
import { actionOf, diffOf } from "../../hosts/install/show-changes.ts";
import { planUninstall, runUninstall, type UninstallPlan } from "../../hosts/install/uninstall.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { showChange } from "../host-commands.ts";
import { printJson } from "../terminal/screen.ts";
import { oneScope } from "./init.ts";

const bothScopes = ["project", "user"] as const;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("uninstall", args);
  if (values.user && values.project) throw new HoldfastError("invalid_input", oneScope);
  const { root } = findProject(process.cwd());
  const scopes = values.user ? ["user" as const] : values.project ? ["project" as const] : bothScopes;
  const done: UninstallPlan = { hosts: [], files: [], left: [] };
  for (const scope of scopes) {
    const places = findPlaces(scope, root);
    const plan = await planUninstall(positionals, places);
    if (!values["dry-run"]) runUninstall(plan, places);
    const isNew = ({ path }: { path: string }) => done.files.every((file) => file.path !== path);
    done.files.push(...plan.files.filter(isNew));
    done.left.push(...plan.left.filter((path) => !done.left.includes(path)));
  }
  if (values.json) {
    const files = done.files.map((file) => ({
      host: file.host,
      path: file.path,
      action: actionOf(file),
      diff: diffOf(file),
    }));
    printJson({ scopes, root, dryRun: values["dry-run"], files, left: done.left });
    return 0;
  }
  for (const file of done.files) showChange(file, root, values.diff);
  for (const path of done.left)
    console.log(`  left alone: ${path} was changed since init; check it yourself.`);
  if (values["dry-run"]) console.log("Nothing was changed: this was a dry run.");
  else if (done.files.length === 0) console.log("There is nothing to undo; nothing was changed.");
  else console.log('Done. Saved memory stays. "holdfast show" prints where it is.');
  return 0;
}
