import { hosts } from "../hosts/hosts.ts";
import { detect, wiredPlaces } from "../hosts/install/detect.ts";
import { findPlaces } from "../hosts/install/places.ts";
import { findProject } from "../workspace/project.ts";
import { ownCommand } from "./commands/init.ts";
import { painterFor } from "./terminal/paint.ts";

/** A host found here, and whether it is set up, here or for all projects. */
export interface FoundHost {
  title: string;
  isConnected: boolean;
}

/** What `holdfast` alone does at a terminal: shows the hosts found here and the next step. It changes nothing. */
export async function run(): Promise<number> {
  const found: FoundHost[] = [];
  const places = findPlaces("project", findProject(process.cwd()).root);
  for (const host of hosts) {
    const setup = await host.setup();
    if (!detect(host, setup, places)) continue;
    found.push({ title: host.title, isConnected: wiredPlaces(host, setup, places).length > 0 });
  }
  welcome(found, console.log);
  return 0;
}

/** Shows what is here and the next step. */
export function welcome(found: readonly FoundHost[], print: (line: string) => void): void {
  const paint = painterFor(process.stdout);
  const command = ownCommand();
  print(`${paint("bold", "holdfast")} — working memory for AI agents that survives compaction\n`);
  if (found.length === 0) {
    print(
      `No coding agent was found here. Holdfast works with ${hosts.map(({ title }) => title).join(", ")}.\n`,
    );
    for (const line of steps(command, ["init HOST", "demo", "help"])) print(line);
    return;
  }
  const width = Math.max(...found.map(({ title }) => title.length)) + 2;
  for (const { title, isConnected } of found)
    print(
      `  ${title.padEnd(width)}${isConnected ? paint("green", "connected") : paint("yellow", "not connected")}`,
    );
  print("");
  const first = found.every(({ isConnected }) => isConnected) ? "serve" : "init";
  for (const line of steps(command, [first, "rescue", "doctor", "help"])) print(line);
}

const purposes: Readonly<Record<string, string>> = {
  "init HOST": "connect the one you name",
  init: "connect them, for you alone; it lists the files first",
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
