import type { MomentSurface } from "../surface.ts";
import { checkpointProject, type MomentOptions, recordSynthesis, startProjectSession } from "./handover.ts";
import type { ProjectOptions } from "./project.ts";

export interface ProjectMomentsOptions extends ProjectOptions {
  /** Who works on the project, where the session does not say. */
  agent?: string | undefined;
  /** True: when long tool results are cleared, what they came to is written to the log. */
  synthesis?: boolean | undefined;
}

/** What NOTES.md does at the moments of a conversation, without its tools: hooks load it too. */
export function projectMoments({ agent, synthesis, ...options }: ProjectMomentsOptions): MomentSurface {
  return {
    name: "project",
    async onMoment(session, moment) {
      const named = session.agent === "default" ? agent : session.agent;
      const about: MomentOptions = { ...options, session: session.id, agent: named };
      switch (moment.kind) {
        case "session-start":
          return (await startProjectSession(about)).warnings;
        case "before-compaction":
        case "session-end":
          return (await checkpointProject({ ...about, ...moment, moment: moment.kind })).warnings;
        case "cleared":
          return synthesis ? (await recordSynthesis({ ...about, findings: moment.results })).warnings : [];
        case "after-compaction":
          return [];
      }
    },
  };
}
