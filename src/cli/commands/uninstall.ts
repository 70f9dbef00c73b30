import { findPlaces } from "../../hosts/install/places.ts";
import { actionOf, diffOf } from "../../hosts/install/show-changes.ts";
import { planUninstall, runUninstall } from "../../hosts/install/uninstall.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { showChange } from "../host-commands.ts";
import { printJson } from "../terminal/screen.ts";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("uninstall", args);
  const places = findPlaces(values.user ? "user" : "project", findProject(process.cwd()).root);
  const plan = await planUninstall(positionals, places);
  if (!values["dry-run"]) runUninstall(plan, places);
  if (values.json) {
    const files = plan.files.map((file) => ({
      host: file.host,
      path: file.path,
      action: actionOf(file),
      diff: diffOf(file),
    }));
    const { scope, root } = places;
    printJson({ scope, root, dryRun: values["dry-run"], files, left: plan.left });
    return 0;
  }
  for (const file of plan.files) showChange(file, places.root, values.diff);
  for (const path of plan.left)
    console.log(`  left alone: ${path} was changed since init; check it yourself.`);
  if (values["dry-run"]) console.log("Nothing was changed: this was a dry run.");
  else if (plan.files.length === 0) console.log("There is nothing to undo; nothing was changed.");
  else console.log('Done. Saved memory stays. "holdfast show" prints where it is.');
  return 0;
}
