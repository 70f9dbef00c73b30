import type { Project } from "../../workspace/project.ts";
import type { Host } from "../hosts.ts";
import { readConfig, textOf } from "../install/config-file.ts";
import { detect } from "../install/detect.ts";
import { findLauncher, findProgram, type Launcher, shellLine } from "../install/launcher.ts";
import type { ConfiguredServer, Piece } from "../install/piece.ts";
import type { Places, Scope } from "../install/places.ts";
import { readRecord } from "../install/record.ts";
import { checkCanary } from "./check-canary.ts";
import { checkPlugin } from "./check-plugin.ts";
import { checkServer } from "./check-server.ts";
import { checkTrust } from "./check-trust.ts";
import { type Finding, type HostReport, note, ok, problem } from "./finding.ts";
import { checkLastFailure } from "./last-failure.ts";
import { runProgram } from "./run-program.ts";

export interface Examination {
  project: Project;
  places: Places;
  /** Whether the person asked for this host by name: then not being wired is a problem. */
  isNamed: boolean;
  /** Runs the real client; undefined without `--live`. */
  live?: (host: Host, places: Places) => Promise<Finding[]>;
}

/** Looks at one host, in the project and, where it is not wired there, in the person's own config. */
export async function examine(host: Host, examination: Examination): Promise<HostReport> {
  const { project, isNamed } = examination;
  const launcher = findLauncher(examination.places.env);
  const [places, twice] = wiredPlaces(host, examination.places, launcher);
  const isPresent = detect(host, examination.places) !== undefined;
  const report = { host: host.name, title: host.title, isPresent };
  if (!places) {
    const remedy = `holdfast init ${host.name}`;
    if (isNamed)
      return { ...report, isWired: false, findings: [problem("wiring", "It is not wired.", remedy)] };
    const findings = isPresent ? [note("wiring", "It is here but not wired.", remedy)] : [];
    return { ...report, isWired: false, findings };
  }
  const remedy = `holdfast init ${host.name}${places.scope === "user" ? " --user" : ""}`;
  const version = await checkVersion(host, places);
  const findings = [version];
  const wiring = checkWiring(host, places, launcher, remedy);
  findings.push(...wiring.findings);
  if (twice && host.name !== "openclaw") {
    const detail = "It is wired in the project and for all your projects, so each hook runs twice.";
    findings.push(note("wiring", detail, `holdfast uninstall ${host.name}, here or with --user`));
  }
  if (wiring.findings.every(({ status }) => status !== "problem"))
    findings.push(...(await checkTrust(host.name, places, version.detail)));
  if (wiring.server) findings.push(...(await checkServer(wiring.server, project.root, remedy)));
  if (wiring.hook !== undefined)
    findings.push(...(await checkCanary(host.name, wiring.hook, project, remedy)));
  findings.push(...(await checkPlugin(host, places, project, remedy)));
  findings.push(checkLastFailure(host.name, project.directory));
  if (examination.live) findings.push(...(await examination.live(host, places)));
  return { ...report, isWired: true, findings };
}

/** The scopes in which something of ours is, or was put; the project's comes first. */
function wiredPlaces(host: Host, places: Places, launcher: Launcher): Places[] {
  return (["project", "user"] as const)
    .map((scope: Scope) => ({ ...places, scope }))
    .filter(
      (candidate) =>
        readRecord(candidate).files.some((file) => file.host === host.name) ||
        host.pieces(candidate, launcher).some((piece) => isIn(piece)),
    );
}

function isIn(piece: Piece): boolean {
  try {
    return piece.isIn(textIn(piece));
  } catch {
    // A config that cannot be read is looked at when it is known to be ours.
    return false;
  }
}

function textIn({ path, within }: Piece): string {
  return textOf(readConfig(path, within));
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
  // pi prints it to stderr.
  const version = /\d+\.\d+[\w.-]*/.exec(`${stdout}\n${code === 0 ? stderr : ""}`)?.[0];
  if (version !== undefined) return ok("version", version);
  return note(
    "version",
    `${path} --version says nothing: ${trouble ?? (stderr.trim() || `exit code ${code}`)}`,
  );
}

interface Wiring {
  findings: Finding[];
  server?: ConfiguredServer;
  /** The command line of the hook that brings memory back at the start of a session. */
  hook?: string;
}

function checkWiring(host: Host, places: Places, launcher: Launcher, remedy: string): Wiring {
  const findings: Finding[] = [];
  const wiring: Wiring = { findings };
  for (const piece of host.pieces(places, launcher)) {
    try {
      const text = textIn(piece);
      const gaps = piece.gaps(text);
      const missing = gaps.filter(({ kind }) => kind === "missing").map(({ what }) => what);
      const differing = gaps.filter(({ kind }) => kind === "differs").map(({ what }) => what);
      if (missing.length > 0)
        findings.push(problem("wiring", `${piece.path} lacks ${missing.join(", ")}.`, remedy));
      if (differing.length > 0)
        findings.push(note("wiring", `${piece.path} has its own ${differing.join(", ")}.`, remedy));
      const server = piece.server?.(text);
      if (server) wiring.server = server;
      const hook = piece.hooks?.(text).SessionStart;
      if (hook !== undefined) wiring.hook = hook;
    } catch (error) {
      findings.push(problem("wiring", (error as Error).message, "Repair the file."));
    }
  }
  if (findings.length === 0) {
    const isHere = host.pieces(places, launcher).some(({ within }) => within !== undefined);
    findings.push(ok("wiring", isHere ? "in this project" : "for all your projects"));
  }
  if (host.name === "opencode" && wiring.server) wiring.hook = hookBeside(wiring.server);
  return wiring;
}

/** opencode's plugin starts the hook the way the MCP server is started. */
function hookBeside({ command, args }: ConfiguredServer): string {
  const end = args.indexOf("mcp");
  return shellLine([command, ...args.slice(0, Math.max(end, 0)), "hook", "opencode"]);
}
