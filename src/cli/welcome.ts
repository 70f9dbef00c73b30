import { hosts } from "../hosts/hosts.ts";
import { planInit } from "../hosts/install/init.ts";
import { findPlaces } from "../hosts/install/places.ts";
import { isChange } from "../hosts/install/write-changes.ts";
import { findProject } from "../workspace/project.ts";
import { run as init, ownCommand } from "./commands/init.ts";
import { painterFor } from "./terminal/paint.ts";
import { counted } from "./terminal/quantities.ts";

/** A host found here, and how many files init would change to connect it. */
export interface FoundHost {
  title: string;
  changes: number;
}

interface Person {
  print(line: string): void;
  /** Undefined if the input was closed. */
  ask(question: string): Promise<string | undefined>;
  /** Runs `holdfast init`; returns the exit code. */
  init(): Promise<number>;
}

/** What `holdfast` alone does at a terminal: shows the hosts found here and offers to connect them. */
export async function run(ask: Person["ask"]): Promise<number> {
  return welcome(await findHosts(), { print: console.log, ask, init: () => init([]) });
}

async function findHosts(): Promise<FoundHost[]> {
  const plan = await planInit([], findPlaces("project", findProject(process.cwd()).root));
  return plan.hosts.map(({ name, title }) => ({
    title,
    changes: plan.files.filter((file) => file.host === name && isChange(file)).length,
  }));
}

/** Shows what is here and the next step, and connects the hosts if the person says yes. Returns the exit code. */
export async function welcome(found: readonly FoundHost[], { print, ask, init }: Person): Promise<number> {
  const paint = painterFor(process.stdout);
  const command = ownCommand();
  print(`${paint("bold", "holdfast")} — working memory for AI agents that survives compaction\n`);
  if (found.length === 0) {
    print(
      `No coding agent was found here. Holdfast works with ${hosts.map(({ title }) => title).join(", ")}.\n`,
    );
    for (const line of steps(command, ["init HOST", "demo", "help"])) print(line);
    return 0;
  }
  const width = Math.max(...found.map(({ title }) => title.length)) + 2;
  for (const { title, changes } of found)
    print(
      `  ${title.padEnd(width)}${changes === 0 ? paint("green", "connected") : paint("yellow", "not connected")}`,
    );
  print("");
  const changes = found.reduce((sum, host) => sum + host.changes, 0);
  if (changes > 0) {
    const question = `Connect now? This changes ${counted(changes, "file")}; "${command} uninstall" restores them. [Y/n] `;
    if (/^(?:y|yes|)$/i.test((await ask(question)) ?? "no")) return init();
    print("Nothing was changed.\n");
  }
  for (const line of steps(command, [changes > 0 ? "init --dry-run" : "serve", "rescue", "doctor", "help"]))
    print(line);
  return 0;
}

const purposes: Readonly<Record<string, string>> = {
  "init HOST": "connect the one you name",
  "init --dry-run": "show what would change",
  demo: "watch a scripted agent keep its notes",
  serve: "see and edit memory in the browser",
  rescue: "get back what a compaction took from a conversation",
  doctor: "verify that memory reaches each agent",
  help: "all commands",
};

function steps(command: string, next: readonly string[]): string[] {
  const width = Math.max(...next.map((name) => name.length)) + 2;
  return ["Next", ...next.map((name) => `  ${command} ${name.padEnd(width)}${purposes[name]}`)];
}
