import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { warningStart } from "../../compaction/warning.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import { compactionLimit, readFill, rememberLimits } from "../context-fill.ts";
import { readHookState } from "../hook/state.ts";
import type { Host } from "../host.ts";
import { findProgram } from "../install/launcher.ts";
import { memoryPlace } from "../install/memory-tools.ts";
import type { Places } from "../install/places.ts";
import { type ProgramRun, runProgram, throwIfStopped } from "../run-program.ts";
import { findLink, sessionIdOf } from "../session-link.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import { purgeSessionsOf, rememberLinks, writeCanary } from "./scratch-session.ts";
import {
  type ClientAnswer,
  type ClientRequest,
  type ScriptedModel,
  startScriptedModel,
} from "./scripted-model.ts";

const [check, warningCheck] = ["live", "warning"];
const timeLimit = 120_000;
/** A client that is warned only with a prompt needs one turn to be warned, and one to show what the agent wrote. */
const maxTurns = 3;
const done: ClientAnswer = { text: "ok", tokens: 1_000 };
const prompt = "This is holdfast doctor. Answer ok.";

/**
 * Runs turns of the real client. A word that doctor saves between the first two must be in the second's request. Then its model
 * fills the window: the agent must be warned, and what it writes because of that must come back.
 */
export async function checkLive(host: Host, places: Places): Promise<Finding[]> {
  const { live: client } = await host.setup();
  const program = findProgram(host.program, places.env);
  if (program === undefined)
    return [note(check, `${host.program} is not on the PATH.`, `Install ${host.title}.`)];
  const obstacle = client.obstacle?.(places);
  if (obstacle !== undefined) return [note(check, obstacle)];
  const project = findProject(places.root);
  let answer: (request: ClientRequest) => ClientAnswer = () => done;
  const model = await startScriptedModel((request) => answer(request));
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const links = rememberLinks(project);
  const forgetLimits = rememberLimits();
  let hostSession = "";
  const talk = { url: model.url, folder, prompt };
  const runClient = (args: string[]) =>
    runProgram(program, args, {
      cwd: places.root,
      env: { ...places.env, ...client.env(talk) },
      limit: timeLimit,
    });
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
    if (model.requests.length === 0) return [silent(host, first)];
    if (!isNew) {
      const detail = `${host.title} sent a request, but ran none of our hooks.`;
      return [problem(check, detail, "See the trust check above.")];
    }
    const again = () => runClient(client.again(talk));
    const saved = await lookForCanary(host, project, link.session, model, again);
    if (saved.status !== "ok") return [saved];
    const compactsAt = client.limit ?? limitOf(host, project, hostSession);
    if (compactsAt === undefined)
      return [
        saved,
        note(warningCheck, `When ${host.title} compacts was not known, so no warning was tried.`),
      ];
    const script = new WarnedAgent(compactsAt);
    answer = (request) => script.answer(request);
    for (let turn = 0; turn < maxTurns && !script.isBack; turn++) {
      script.beginTurn();
      await again();
      throwIfStopped();
    }
    return [saved, script.finding(host)];
  } finally {
    forgetLimits();
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
  host: Host,
  project: Project,
  sessionId: string,
  model: ScriptedModel,
  again: () => Promise<ProgramRun>,
): Promise<Finding> {
  const { title } = host;
  const canary = `canary-${randomUUID()}`;
  const memory = await openWorkspaceMemory({ cwd: project.root, onWarning: () => {} });
  try {
    const session = await memory.openSession(sessionId);
    await writeCanary(session, memoryPlace(host, project), canary);
    const run = await again();
    if (model.requests.some(({ body }) => body.includes(canary)))
      return ok(check, `saved memory is in the request of the real ${title} (${run.milliseconds} ms)`);
    const remedy = "See the trust and last failure checks above.";
    const why = run.code === 0 ? "" : ` ${title} ended early: ${reasonOf(run)}`;
    return problem(check, `Saved memory is not in the request of the real ${title}.${why}`, remedy);
  } finally {
    await memory.close();
  }
}

/** The tokens at which the host compacts, as the transcript and the settings say. */
function limitOf(host: Host, { directory, root }: Project, hostSession: string): number | undefined {
  const fill = readFill(host, readHookState(directory, host.name, hostSession)?.transcript ?? "");
  return fill && compactionLimit(host, fill, root);
}

/** A scripted agent whose context is nearly full, and that writes to its memory when it is warned. */
class WarnedAgent {
  readonly #limit: number;
  readonly #canary = `canary-${randomUUID()}`;
  #turn = 0;
  /** Its calls in this turn. */
  #calls = 0;
  /** The turn in which it was warned. */
  #warned: { turn: number; isInTurn: boolean; canWrite: boolean } | undefined;
  #isCompacted = false;
  /** Its note is in a request of a later turn, or after a compaction. */
  isBack = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  beginTurn(): void {
    this.#turn++;
    this.#calls = 0;
  }

  answer({ text, tools }: ClientRequest): ClientAnswer {
    const tool = tools.find((name) => /(?:write_notepad|session[._]scratchpad|add_note)$/.test(name));
    const full = (share: number) => Math.round(this.#limit * share);
    if (this.#warned) {
      this.isBack ||= this.#warned.turn < this.#turn && text.includes(this.#canary);
      // A request without tools is that of the summarizer. With a context that stays full, a client compacts without end.
      this.#isCompacted ||= tool === undefined;
      return this.#isCompacted ? done : { text: "ok", tokens: full(1.01) };
    }
    if (text.includes(warningStart)) {
      this.#warned = { turn: this.#turn, isInTurn: this.#calls > 0, canWrite: tool !== undefined };
      return tool ? { call: { tool, input: { content: this.#canary } }, tokens: full(0.975) } : done;
    }
    // A request without tools is the client's own.
    if (this.#calls === 2 || !tool) return { text: "ok", tokens: full(0.97) };
    // A client may record a call only a second later, and then the next one brings the warning.
    const takes = this.#calls++ * 1_500;
    return { call: { tool, input: { content: "Written by holdfast doctor." } }, tokens: full(0.97), takes };
  }

  finding({ title }: Host): Finding {
    if (!this.#warned)
      return problem(
        warningCheck,
        `With a context that is nearly full, the real ${title} did not warn the agent.`,
        "See the trust and last failure checks above.",
      );
    const when = this.#warned.isInTurn ? "within a turn" : "with a prompt";
    if (!this.#warned.canWrite) return note(warningCheck, `the real ${title} warns the agent ${when}`);
    if (this.isBack)
      return ok(
        warningCheck,
        `the real ${title} warns the agent ${when}, and what it writes then comes back`,
      );
    return problem(
      warningCheck,
      `The real ${title} warns the agent ${when}, but what it wrote then did not come back.`,
      "See the trust and last failure checks above.",
    );
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
