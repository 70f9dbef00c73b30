import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import type { Host } from "../host.ts";
import { findProgram } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";
import { findLink, sessionIdOf } from "../session-link.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { throwIfStopped } from "./running.ts";
import { purgeSessionsOf, rememberLinks, writeCanary } from "./scratch-session.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

const check = "live";
const limit = 120_000;
const prompt = "This is holdfast doctor. Answer ok.";

/** Runs two turns of the real client; what doctor saves in between must be in the second request. */
export async function checkLive(host: Host, places: Places): Promise<Finding[]> {
  const { live: client } = await host.setup();
  const program = findProgram(host.program, places.env);
  if (program === undefined)
    return [note(check, `${host.program} is not on the PATH.`, `Install ${host.title}.`)];
  const obstacle = client.obstacle?.(places);
  if (obstacle !== undefined) return [note(check, obstacle)];
  const project = findProject(places.root);
  const model = await startScriptedModel();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const links = rememberLinks(project);
  let hostSession = "";
  const talk = { url: model.url, folder, prompt };
  const runClient = (args: string[]) =>
    runProgram(program, args, { cwd: places.root, env: { ...places.env, ...client.env(talk) }, limit });
  try {
    client.prepare?.(talk, places);
    const first = await runClient(client.first(talk));
    const own = client.session?.(folder);
    const link =
      own === undefined
        ? findLink({ ...project, cwd: places.root }, host.name)
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
      return [problem(check, detail, "See the trust check above.")];
    }
    const again = () => runClient(client.again(talk));
    return [await lookForCanary(host, project, link.session, model, again)];
  } finally {
    if (hostSession !== "") {
      links.restore(host.name, hostSession);
      await purgeSessionsOf(project, hostSession);
      // The session id differs from a host session name that is not a valid id.
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
  again: () => Promise<ProgramRun>,
): Promise<Finding> {
  const canary = `canary-${randomUUID()}`;
  const memory = await openWorkspaceMemory({ cwd: project.root, onWarning: () => {} });
  try {
    const session = await memory.openSession(sessionId);
    await writeCanary(session, project, canary);
    const run = await again();
    if (model.bodies.some((body) => body.includes(canary)))
      return ok(check, `saved memory is in the request of the real ${title} (${run.milliseconds} ms)`);
    const remedy = "See the trust and last failure checks above.";
    const why = run.code === 0 ? "" : ` ${title} ended early: ${reasonOf(run)}`;
    return problem(check, `Saved memory is not in the request of the real ${title}.${why}`, remedy);
  } finally {
    await memory.close();
  }
}

function silent({ title, program }: Host, run: ProgramRun): Finding {
  return problem(
    check,
    `${title} sent no request to the model: ${reasonOf(run)}`,
    `See the trust check above, or run ${program} here and read its output.`,
  );
}

/** Clients print the reason last, or mark it and print advice after it. */
function reasonOf({ trouble, code, stderr, stdout }: ProgramRun): string {
  const lines = stripVTControlCharacters(stderr.trim() || stdout.trim()).split("\n");
  const reason = lines.find((line) => line.includes(" Reason: ")) ?? lines.at(-1) ?? "";
  return [trouble ?? `exit code ${code}`, reason].filter((text) => text !== "").join(": ");
}
