import { openProject } from "../../src/surfaces/project/project.ts";
import { callOperation } from "../../src/surfaces/project/test-support/project.ts";

/** Logs debt as fast as possible, `count` times or until killed. */
const { root, name, count } = JSON.parse(process.argv[2] ?? "{}") as {
  root: string;
  name: string;
  count: number;
};
const project = openProject({ root });
for (let index = 0; index < count; index++) {
  const { id } = await callOperation(project, "log_entry", { kind: "debt", text: `${name}-${index}` });
  console.log(`logged ${name}-${index} ${id}`);
}
