import { parseArgs } from "node:util";
import { HoldfastError } from "../../errors.ts";
import { findProjectRoot } from "../../surfaces/project/location.ts";
import { initProject, openProject, type Project } from "../../surfaces/project/project.ts";
import { requireValid } from "../../workspace/config-problems.ts";
import { projectOptionsOf } from "../../workspace/library-options.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { printJson } from "../terminal/screen.ts";

export interface ProjectArguments {
  project: Project;
  json: boolean;
  values: Record<string, string | boolean | string[] | undefined>;
  positionals: string[];
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const several = { type: "string", multiple: true } as const;

const options = {
  json: flag,
  root: text,
  file: text,
  session: text,
  agent: text,
  level: text,
  query: text,
  rationale: text,
  evidence: several,
  scenario: several,
  title: text,
  detail: text,
  done: flag,
  severity: text,
  actionable: flag,
  next: text,
  task: text,
  keep: text,
  input: text,
  fix: flag,
  "no-write": flag,
} as const;

const commands: Record<string, () => Promise<{ run(args: ProjectArguments): Promise<number> }>> = {
  init: async () => ({ run: initialize }),
  lint: async () => ({ run: (await import("./project-check.ts")).lint }),
  verify: async () => ({ run: (await import("./project-check.ts")).verify }),
  recover: async () => ({ run: (await import("./project-log.ts")).recover }),
  log: async () => ({ run: (await import("./project-log.ts")).log }),
  handoff: async () => ({ run: (await import("./project-log.ts")).handoff }),
  archive: async () => ({ run: (await import("./project-log.ts")).archive }),
};

/** `holdfast project COMMAND`: project memory in NOTES.md. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
  const [name, ...rest] = positionals;
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    const problem =
      name === undefined
        ? "The project command is missing"
        : `There is no project command ${JSON.stringify(name)}`;
    throw new HoldfastError(
      "invalid_input",
      `${problem}. The commands are: ${Object.keys(commands).join(", ")}. Run "holdfast project --help" to see their options.`,
      name === undefined ? {} : { data: { given: name, known: Object.keys(commands) } },
    );
  }
  const root = values.root ?? findProjectRoot(process.cwd());
  const { config } = findWorkspace({ cwd: root });
  await requireValid(config);
  const configured = projectOptionsOf(config);
  const project = openProject({
    root,
    path: values.file ?? configured.path,
    beads: configured.beads,
  });
  return (await load()).run({ project, json: values.json ?? false, values, positionals: rest });
}

async function initialize({ project, json }: ProjectArguments): Promise<number> {
  const { name, ignored } = initProject(project);
  const next = ignored
    ? "Git ignores it: remove it from .gitignore to share it."
    : "Commit it with the code.";
  if (json) printJson({ ok: true, file: name, ignored });
  else console.log(`Wrote ${name}. ${next}`);
  return 0;
}
