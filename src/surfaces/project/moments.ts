import type { Moment, MomentSurface } from "../surface.ts";
import { checkpointProject, type MomentOptions, recordSynthesis, stampSessionStart } from "./handover.ts";
import type { ProjectOptions } from "./project.ts";

export interface ProjectMomentsOptions extends ProjectOptions {
  /** The agent's name, if the session has none. */
  agent?: string | undefined;
  /** True: when long tool results are cleared, logs their findings. */
  synthesis?: boolean | undefined;
}

/** How NOTES.md reacts to the moments of a conversation; without its tools, so that hooks can load it. */
export function projectMoments({ agent, synthesis, ...options }: ProjectMomentsOptions): MomentSurface {
  return {
    name: "project",
    async onMoment(session, moment) {
      const agentName = session.agent === "default" ? agent : session.agent;
      const momentOptions: MomentOptions = { ...options, session: session.id, agent: agentName };
      switch (moment.kind) {
        case "session-start":
          return (await stampSessionStart(momentOptions)).warnings;
        case "before-compaction":
        case "session-end":
          return (await checkpointProject({ ...momentOptions, ...moment, moment: moment.kind })).warnings;
        case "cleared":
          return synthesis
            ? (await recordSynthesis({ ...momentOptions, findings: findingsIn(moment.results) })).warnings
            : [];
        case "after-compaction":
          return [];
      }
    },
  };
}

/** What the agent noted about each result. One that no note covers has only a size, which is no finding. */
function findingsIn(
  results: Extract<Moment, { kind: "cleared" }>["results"],
): { tool: string; summary: string }[] {
  return results.flatMap(({ tool, finding }) => (finding === undefined ? [] : { tool, summary: finding }));
}
