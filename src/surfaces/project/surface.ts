import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { ApplyOptions, SessionHandle } from "../session-handle.ts";
import { defineTool, type Surface, type Tool } from "../surface.ts";
import { readNotes } from "./edit.ts";
import type { Answer } from "./entries.ts";
import { holdLock, type NotesFile, readWorkingFile, writeWorkingFile } from "./file.ts";
import { projectMoments, recoverProject, resolvedLines } from "./moments.ts";
import { type Caller, initProject, openProject, type Project, type ProjectOptions } from "./project.ts";
import { recoverLevel1 } from "./recover.ts";
import { answerShape, type ProjectOperation, projectOperations } from "./tools.ts";

export interface ProjectSurfaceOptions extends ProjectOptions {
  /** True: when the agent clears long tool results, logs their findings. */
  synthesis?: boolean;
}

/** NOTES.md as a surface: its tools, and its level 1 in every turn. */
export function projectSurface(options: ProjectSurfaceOptions): Surface {
  const project = openProject(options);
  const moments = projectMoments(options);
  const cached = { stamp: "", paths: [] as string[], text: "" };
  /** Blockers that may have resolved, as of the start of the last conversation. */
  let resolved: string[] = [];
  return {
    name: "project",
    tools: projectOperations.map((operation) => toolOf(project, operation)),
    guidance: (_limits, { shown }) =>
      `Project memory is NOTES.md in the repository, which people read and edit. Log decisions, debt, goals and blockers when they arise, with log_decision and log_entry. After a reset, ${shown === "host" ? "call recover_context and continue from what it returns" : "continue from the project memory block"}. Check in the code what is marked STALE. Call log_handoff before you stop.`,
    block: () =>
      cached.text === "" ? undefined : { placement: "message", text: [cached.text, ...resolved].join("\n") },
    async onMoment(session, moment) {
      if (moment.kind === "session-start") resolved = resolvedLines((await recoverProject(options)).blockers);
      return (await moments.onMoment?.(session, moment)) ?? [];
    },
    async refresh() {
      try {
        const stamp = stampOf(project, cached.paths);
        if (stamp === cached.stamp && stamp !== "") return;
        const { file } = project;
        const notes = readNotes(file);
        const level1 = notes && recoverLevel1(file, notes, project.countTokens);
        cached.text = level1?.text ?? "";
        cached.paths = level1?.paths ?? [];
        cached.stamp = stampOf(project, cached.paths);
      } catch (error) {
        // Report the failure in the block and let the agent continue.
        cached.stamp = "";
        cached.text = `[Project memory: not available]\n${oneLine((error as Error).message)}\n[End of project memory]`;
      }
    },
  };
}

/** Changes when NOTES.md or a file it refers to does. */
function stampOf(project: Project, paths: readonly string[]): string {
  const { file } = project;
  return [file.path, ...paths.map((path) => join(file.root, path))]
    .map((path) => {
      const stats = statsOf(path);
      return stats ? `${path}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}:${stats.ino}` : `${path}:none`;
    })
    .join("|");
}

/** References may contain invalid paths: too long, circular, or with a NUL. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function toolOf(project: Project, operation: ProjectOperation): Tool {
  return defineTool({
    name: operation.name,
    description: operation.description,
    input: operation.input,
    output: answerShape,
    readOnly: operation.readOnly ?? false,
    idempotent: operation.readOnly ?? false,
    run: async ({ session, options }, input) => {
      // Choosing this surface implies wanting the file, and an agent may have no shell to run init.
      if (!operation.readOnly && !readNotes(project.file)) initProject(project);
      const caller = await callerOf(session, options);
      if (options.key === undefined) return operation.run(project, input, caller);
      return onceForKey(project.file, `${session.id}/${options.key}`, { tool: operation.name, input }, () =>
        operation.run(project, input, caller),
      );
    },
    text: (output) => output.text,
  });
}

async function callerOf(session: SessionHandle, { actor }: ApplyOptions): Promise<Caller> {
  const { agent } = (await session.state()).row;
  return {
    agent: actor?.name ?? (agent === "default" ? undefined : agent),
    session: session.id,
  };
}

/** The last calls with a key, oldest first. */
type Answered = [key: string, request: string, answer: Answer][];

const maxKept = 200;

/** Does the work once per key; using the key again returns the first answer. */
async function onceForKey(
  file: NotesFile,
  key: string,
  request: { tool: string; input: unknown },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const serialized = JSON.stringify(request);
  const earlier = answered(file).find(([known]) => known === key);
  if (earlier && earlier[1] !== serialized) {
    throw new HoldfastError(
      "key_reused",
      `The idempotency key ${JSON.stringify(key)} was used for another call. Use a new key for a new call.`,
      { data: { key } },
    );
  }
  if (earlier) return earlier[2];
  const answer = await work();
  holdLock(file, () => {
    writeWorkingFile(file, "keys.json", [...answered(file), [key, serialized, answer]].slice(-maxKept));
  });
  return answer;
}

function answered(file: NotesFile): Answered {
  const known = readWorkingFile(file, "keys.json");
  return Array.isArray(known) ? (known as Answered) : [];
}
