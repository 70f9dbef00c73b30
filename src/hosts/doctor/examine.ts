import { join } from "node:path";
import { day } from "../../engine/retention.ts";
import { readWorkspaceConfig, settingValue } from "../../workspace/config.ts";
import type { Project } from "../../workspace/project.ts";
import { type Failure, readFailures } from "../failures.ts";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { readConfig, textOf } from "../install/config-file.ts";
import { detect, launcherFor, wiredPlaces } from "../install/detect.ts";
import { commandName, findProgram, portableLauncher } from "../install/launcher.ts";
import type { ConfiguredServer, Piece } from "../install/piece.ts";
import type { Places } from "../install/places.ts";
import { listAncestors } from "../processes.ts";
import { runProgram } from "../run-program.ts";
import { findLink } from "../session-link.ts";
import { checkCanary, checkPlugin } from "./check-canary.ts";
import { checkServer } from "./check-server.ts";
import { type Finding, type HostReport, note, ok, problem } from "./finding.ts";

export interface Examination {
  project: Project;
  places: Places;
  /** Whether the user named this host: then it is a problem if it is not set up. */
  isNamed: boolean;
  /** Runs the real client; undefined without `--live`. */
  live?: (host: Host, places: Places) => Promise<Finding[]>;
}

/** Checks one host in the project or, if it is not set up there, in the user's own config. */
export async function examine(host: Host, examination: Examination): Promise<HostReport> {
  const { project, isNamed, live } = examination;
  const setup = await host.setup();
  const [wired, twice] = wiredPlaces(host, setup, examination.places);
  const plugin = setup.findPlugin?.(examination.places);
  const isPresent = detect(host, setup, examination.places) !== undefined;
  const report = { host: host.name, title: host.title, isPresent };
  if (!wired && plugin === undefined) {
    const [trouble] = troublesIn(setup, examination.places);
    const remedy = trouble === undefined ? `${commandName()} init ${host.name}` : repair;
    if (isNamed)
      return {
        ...report,
        isWired: false,
        findings: [problem("wiring", trouble ?? "Not connected yet.", remedy)],
      };
    const detail = trouble ?? "Installed, not connected yet.";
    return { ...report, isWired: false, findings: isPresent ? [note("wiring", detail, remedy)] : [] };
  }
  const places = wired ?? { ...examination.places, scope: "user" as const };
  // A plugin, and files that are made for everyone, start the program that is on the PATH.
  const isMissing =
    wired &&
    launcherFor(setup, wired) === portableLauncher &&
    findProgram("holdfast", places.env) === undefined;
  const remedy =
    !wired || isMissing
      ? "Install holdfast so that it is on the PATH: npm install --global holdfast."
      : `${commandName()} init ${host.name}${places.scope === "user" ? " --user" : ""}`;
  const version = await checkVersion(host, places);
  const wiring = wired
    ? checkWiring(setup, wired, remedy)
    : checkPluginWiring(host, setup, plugin ?? "", places, remedy);
  const findings = [version, ...wiring.findings];
  if (twice && !setup.hasOneConfig) {
    const detail = "It is set up in the project and for all your projects, so each hook runs twice.";
    findings.push(note("wiring", detail, `${commandName()} uninstall ${host.name}, here or with --user`));
  }
  if (wired && plugin !== undefined) {
    const detail = `It is set up by init, and the plugin is enabled in ${plugin}, so each hook runs twice.`;
    findings.push(problem("wiring", detail, `${commandName()} uninstall ${host.name}, or remove the plugin`));
  }
  if (wiring.findings.every(({ status }) => status !== "problem"))
    findings.push((await setup.checkTrust?.(places, version.detail)) ?? ok("trust", "not needed"));
  if (wiring.server) findings.push(...(await checkServer(wiring.server, project.root, remedy)));
  if (wiring.hook) findings.push(...(await checkCanary(host.name, wiring.hook, project, remedy)));
  if (setup.plugin && wiring.plugin !== undefined)
    findings.push(...(await checkPlugin(host, setup.plugin, wiring.plugin, project, remedy)));
  findings.push(...checkPlacement(host, project));
  findings.push(...checkOwnConversation(host, setup, project));
  findings.push(checkLastFailure(host.name, project.directory));
  if (live) findings.push(...(await live(host, places)));
  return { ...report, isWired: true, findings };
}

/** The newest failure of this host's hooks: a problem if it is from the last day, otherwise a note. */
export function checkLastFailure(host: string, directory: string, now = Date.now()): Finding {
  const check = "last failure";
  const failures = readFailures(directory).filter((failure) => failure.host === host);
  const failure = failures.find((each) => !isMissingDatabase(each)) ?? failures[0];
  if (!failure) return ok(check, "none");
  const when = new Date(failure.at).toISOString();
  const detail = `${when} ${failure.event || "hook"}: ${failure.message}`;
  if (now - failure.at > day || isMissingDatabase(failure)) return note(check, detail);
  const remedy = `If the message does not say what to do, try again. Delete ${join(directory, "hook-failures.jsonl")} once it is fixed; after a day it is only a note.`;
  return problem(check, detail, remedy);
}

/** Only a note: the database may have been lost, but a new project has none before the first note. */
function isMissingDatabase({ code, message }: Failure): boolean {
  return code === "not_found" && message.startsWith("There is no database");
}

function textIn({ path, within }: Piece): string {
  return textOf(readConfig(path, within));
}

const repair = "Repair the file, or make it readable.";

/** Why nobody can tell whether the host is set up: the user's own files that init could not read either. */
function troublesIn(setup: HostSetup, places: Places): string[] {
  const at = { ...places, scope: "user" as const };
  return setup.pieces(at, launcherFor(setup, at)).flatMap((piece) => {
    try {
      piece.isIn(textIn(piece));
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** A hook adds to the conversation: only a plugin can add to the system prompt. */
export function checkPlacement({ title, takesSystemText = false }: Host, project: Project): Finding[] {
  if (takesSystemText || settingValue(readWorkspaceConfig(project), "placement") !== "system") return [];
  const detail = `The setting "placement" is "system", and ${title} lets nobody add to its system prompt. Memory is shown as with "epoch".`;
  return [problem("placement", detail, 'Set "placement" to "message" or "epoch".')];
}

/** An agent that runs doctor, but started before it was connected, has neither tools nor hooks. */
export function checkOwnConversation(
  { name, title, program }: Host,
  { resume }: HostSetup,
  project: Project,
  ancestors = listAncestors(),
): Finding[] {
  const agent = ancestors.find((each) => each.name === program);
  if (!agent || resume === undefined) return [];
  const link = findLink({ ...project, cwd: project.root }, name)?.process;
  if (link && ancestors.some(({ pid, start }) => pid === link.pid && start === link.start)) return [];
  return [
    problem(
      "conversation",
      `The ${title} that runs this command started before it was connected, so this conversation has no memory tools.`,
      `End it and continue it: ${resume}`,
    ),
  ];
}

async function checkVersion({ program, title }: Host, { env, root }: Places): Promise<Finding> {
  const path = findProgram(program, env);
  if (path === undefined)
    return note(
      "version",
      `${program} is not on the PATH.`,
      `Install ${title}, if you want to use it from here.`,
    );
  const { stdout, stderr, trouble, code } = await runProgram(path, ["--version"], {
    cwd: root,
    env,
    limit: 20_000,
  });
  // Some programs print their version to stderr.
  const version = /(?<!\d)\d{1,9}\.\d{1,9}(?:[\w.-]*\w)?/.exec(`${stdout}\n${code === 0 ? stderr : ""}`)?.[0];
  if (version !== undefined) return ok("version", version);
  return note(
    "version",
    `${path} --version prints no version: ${trouble ?? (stderr.trim() || `exit code ${code}`)}`,
  );
}

/** "The MCP server's args in FILE differ from what init writes." */
function differenceIn(path: string, parts: readonly string[]): string {
  const names = parts.join(", ");
  const verb = parts.length > 1 || names.endsWith("s") ? "differ" : "differs";
  return `${names.charAt(0).toUpperCase()}${names.slice(1)} in ${path} ${verb} from what init writes.`;
}

interface Wiring {
  findings: Finding[];
  server?: ConfiguredServer;
  /** The hook that restores memory at the start of a session. */
  hook?: { line: string; startEvent: string };
  /** The file that the host loads. */
  plugin?: string | undefined;
}

/** A host that has our plugin, which calls plain `holdfast`, instead of what init writes. */
function checkPluginWiring(
  { name }: Host,
  { hook }: HostSetup,
  file: string,
  { env }: Places,
  remedy: string,
): Wiring {
  const findings = [ok("wiring", `the plugin is enabled in ${file}`)];
  if (findProgram("holdfast", env) === undefined)
    return {
      findings: [
        ...findings,
        problem("MCP server", "The plugin calls holdfast, which is not on the PATH.", remedy),
      ],
    };
  return {
    findings,
    server: { command: "holdfast", args: ["mcp"], env: {} },
    ...(hook && { hook: { line: `holdfast hook ${name}`, startEvent: hook.startEvent } }),
  };
}

function checkWiring(setup: HostSetup, places: Places, remedy: string): Wiring {
  const findings: Finding[] = [];
  const pieces = setup.pieces(places, launcherFor(setup, places));
  const ownFile = pieces.find(({ module }) => module !== undefined)?.path;
  const wiring: Wiring = { findings, plugin: setup.plugin?.file ?? ownFile };
  const { startEvent = "", lineBeside } = setup.hook ?? {};
  for (const piece of pieces) {
    try {
      const text = textIn(piece);
      const gaps = piece.gaps(text);
      const missing = gaps.filter(({ kind }) => kind === "missing").map(({ what }) => what);
      const differing = gaps.filter(({ kind }) => kind === "differs").map(({ what }) => what);
      if (missing.length > 0)
        findings.push(problem("wiring", `${piece.path} lacks ${missing.join(", ")}.`, remedy));
      if (differing.length > 0) findings.push(note("wiring", differenceIn(piece.path, differing), remedy));
      for (const { what, kind } of gaps)
        if (kind === "choice") findings.push(note("permissions", `${piece.path} ${what}.`, remedy));
      const server = piece.server?.(text);
      if (server) wiring.server = server;
      const line = piece.hooks?.(text)[startEvent] ?? (server && lineBeside?.(server));
      if (line !== undefined) wiring.hook = { line, startEvent };
    } catch (error) {
      // Several pieces may be in one unreadable file.
      const { message } = error as Error;
      if (findings.every(({ detail }) => detail !== message))
        findings.push(problem("wiring", message, repair));
    }
  }
  if (findings.every(({ check }) => check !== "wiring")) {
    const isHere = pieces.some(({ within }) => within !== undefined);
    findings.push(ok("wiring", isHere ? "in this project" : "for all your projects"));
  }
  return wiring;
}
