import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import type { Host, HostName } from "../hosts.ts";
import { valueAt } from "../install/json-text.ts";
import { findProgram } from "../install/launcher.ts";
import { type Places, userFolder } from "../install/places.ts";
import {
  openClawEnv,
  openClawOldNode,
  openClawSession,
  openClawTurn,
  writeOpenClawConfig,
} from "../openclaw/live.ts";
import { findLink, sessionIdOf } from "../session-link.ts";
import { settingsIn } from "./check-trust.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { throwIfStopped } from "./running.ts";
import { purgeSessionsOf, rememberLinks } from "./scratch-session.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

const check = "live";
const limit = 120_000;
const prompt = "This is holdfast doctor. Answer ok.";

/** How the client is run without its screen, against a model on this machine. */
interface LiveClient {
  /** Writes what the client has to find in the folder before it starts. */
  prepare?(url: string, folder: string, places: Places): void;
  env(url: string, folder: string): Record<string, string>;
  /** A conversation of its own. `folder` is for files, and is gone afterwards. */
  first(url: string, folder: string): string[];
  /** The same conversation, gone on with. */
  again(url: string, folder: string): string[];
  /** The host's name of that conversation, where no hook tells it. */
  session?(folder: string): string | undefined;
  /** What it says of a Node that is too old for it; undefined when that was not what stopped it. */
  oldNode?(run: ProgramRun): string | undefined;
}

const codexModel = (url: string) => [
  "--skip-git-repo-check",
  "--config",
  'model_provider="doctor"',
  "--config",
  `model_providers.doctor={name="doctor",base_url="${url}/v1",wire_api="responses"}`,
];

const opencodeConfig = (url: string) => ({
  model: "doctor/doctor",
  small_model: "doctor/doctor",
  provider: {
    doctor: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${url}/v1`, apiKey: "doctor" },
      models: { doctor: { name: "doctor" } },
    },
  },
});

/** pi takes a provider from an extension, and keeps its sessions where it is told. */
function piModel(url: string, folder: string): string[] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "doctor", name: "doctor", reasoning: false, input: ["text"], cost };
  const provider = {
    baseUrl: `${url}/v1`,
    apiKey: "doctor",
    api: "openai-completions",
    models: [{ ...model, contextWindow: 100_000, maxTokens: 1_000 }],
  };
  const file = join(folder, "provider.js");
  writeFileSync(file, `export default (pi) => pi.registerProvider("doctor", ${JSON.stringify(provider)});\n`);
  return ["--session-dir", join(folder, "sessions"), "--extension", file, "--model", "doctor/doctor"];
}

/** The first line of pi's session file names the session. */
function piSession(folder: string): string | undefined {
  const sessions = join(folder, "sessions");
  if (!existsSync(sessions)) return undefined;
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  if (file === undefined) return undefined;
  return /"id":"([^"]+)"/.exec(readFileSync(join(sessions, file), "utf8").split("\n")[0] ?? "")?.[1];
}

const clients: Record<HostName, LiveClient> = {
  "claude-code": {
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "doctor",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    first: () => ["-p", prompt],
    again: () => ["-p", "--continue", prompt],
  },
  codex: {
    env: () => ({}),
    first: (url) => ["exec", ...codexModel(url), prompt],
    again: (url) => ["exec", "resume", "--last", ...codexModel(url), prompt],
  },
  opencode: {
    env: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    }),
    first: () => ["run", prompt],
    again: () => ["run", "--continue", prompt],
  },
  gemini: {
    // With an address alone it asks for a gateway that it does not know; Vertex takes both from the environment.
    env: (url) => ({
      GOOGLE_GENAI_USE_VERTEXAI: "true",
      GOOGLE_API_KEY: "doctor",
      GOOGLE_VERTEX_BASE_URL: url,
      GEMINI_API_KEY: "doctor",
      GOOGLE_GEMINI_BASE_URL: url,
    }),
    first: () => ["-p", prompt],
    again: () => ["--resume", "latest", "-p", prompt],
  },
  pi: {
    env: () => ({ PI_OFFLINE: "1" }),
    first: (url, folder) => [...piModel(url, folder), "-p", prompt],
    again: (url, folder) => [...piModel(url, folder), "--continue", "-p", prompt],
    session: piSession,
  },
  openclaw: {
    prepare: writeOpenClawConfig,
    env: (_url, folder) => openClawEnv(folder),
    first: (_url, folder) => openClawTurn(folder, prompt),
    again: (_url, folder) => openClawTurn(folder, prompt),
    session: openClawSession,
    oldNode: openClawOldNode,
  },
};

/** Lets the real client talk twice; what is written to the notepad in between has to be in its second request. */
export async function checkLive(host: Host, places: Places): Promise<Finding[]> {
  const client = clients[host.name];
  const program = findProgram(host.program, places.env);
  if (program === undefined)
    return [note(check, `${host.program} is not on the PATH.`, `Install ${host.title}.`)];
  if (host.name === "gemini" && signsInWithGoogle(places)) {
    return [
      note(check, "Gemini CLI signs in with Google here, so it would not talk to a model on this machine."),
    ];
  }
  const project = findProject(places.root);
  const model = await startScriptedModel();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const links = rememberLinks(project);
  let hostSession = "";
  const talk = (args: string[]) =>
    runProgram(program, args, {
      cwd: places.root,
      env: { ...places.env, ...client.env(model.url, folder) },
      limit,
    });
  try {
    client.prepare?.(model.url, folder, places);
    const first = await talk(client.first(model.url, folder));
    const own = client.session?.(folder);
    const link =
      own === undefined
        ? findLink({ directory: project.directory, cwd: places.root }, host.name)
        : { hostSession: own, session: sessionIdOf(host.name, own) };
    const isNew = link !== undefined && !links.has(link.hostSession);
    if (isNew) hostSession = link.hostSession;
    throwIfStopped();
    const oldNode = client.oldNode?.(first);
    if (oldNode !== undefined)
      return [
        note(check, `${host.title} does not run here: ${oldNode}`, "Put a newer Node first on the PATH."),
      ];
    if (model.bodies.length === 0) return [silent(host, first)];
    if (!isNew) {
      const detail = `${host.title} sent a request, but ran none of our hooks.`;
      return [problem(check, detail, "See what doctor says about trust, above.")];
    }
    return [
      await lookForCanary(host, project, link.session, model, () => talk(client.again(model.url, folder))),
    ];
  } finally {
    if (hostSession !== "") {
      links.restore(host.name, hostSession);
      await purgeSessionsOf(project, hostSession);
      // A name that no store takes is not in the id of its session.
      await purgeSessionsOf(project, sessionIdOf(host.name, hostSession));
    }
    rmSync(folder, { recursive: true, force: true });
    await model.close();
  }
}

async function lookForCanary(
  { title }: Host,
  project: Project,
  sessionId: string,
  model: ScriptedModel,
  talk: () => Promise<ProgramRun>,
): Promise<Finding> {
  const canary = `canary-${randomUUID()}`;
  const memory = await openWorkspaceMemory({ cwd: project.root, onWarning: () => {} });
  try {
    const session = await memory.openSession(sessionId);
    await session.notepad.append(`Written by holdfast doctor: ${canary}`);
    const run = await talk();
    if (model.bodies.some((body) => body.includes(canary)))
      return ok(check, `the notepad is in the request of the real ${title} (${run.milliseconds} ms)`);
    const remedy = "See what doctor says about trust and the last failure, above.";
    const why = run.code === 0 ? "" : ` ${title} ended early: ${reasonOf(run)}`;
    return problem(check, `The notepad is not in the request of the real ${title}.${why}`, remedy);
  } finally {
    await memory.close();
  }
}

/** A login goes before the environment, and the request would leave this machine. */
function signsInWithGoogle(places: Places): boolean {
  const paths = [
    join(userFolder.gemini(places), "settings.json"),
    join(places.root, ".gemini/settings.json"),
  ];
  const chosen = settingsIn(...paths).map((value) => valueAt(value, ["security", "auth", "selectedType"]));
  return chosen.some((type) => type !== undefined && type !== "gemini-api-key" && type !== "vertex-ai");
}

function silent({ title, program }: Host, run: ProgramRun): Finding {
  return problem(
    check,
    `${title} sent no request to the model: ${reasonOf(run)}`,
    `See what doctor says about trust, above, or run ${program} here by hand and see what it says.`,
  );
}

/** Clients say why at the end; OpenClaw goes on with advice after its reason. */
function reasonOf({ trouble, code, stderr, stdout }: ProgramRun): string {
  const lines = stripVTControlCharacters(stderr.trim() || stdout.trim()).split("\n");
  const said = lines.find((line) => line.includes(" Reason: ")) ?? lines.at(-1) ?? "";
  return [trouble ?? `exit code ${code}`, said].filter((text) => text !== "").join(": ");
}
