export { undoChange } from "./change-notes.ts";
export {
  type CheckpointOptions,
  checkpointProject,
  type Moment,
  type MomentOptions,
  recordSynthesis,
  type SessionStart,
  type SynthesisOptions,
  startProjectSession,
} from "./handover.ts";
export { initProject } from "./init.ts";
export { type FixReport, fixProject, type LintReport, lintProject } from "./lint.ts";
export { type Finding, type RuleId, ruleSentences } from "./lint-rules.ts";
export { findProjectRoot } from "./notes-file.ts";
export { type Caller, openProject, type Project, type ProjectOptions } from "./project.ts";
export { renderSarif } from "./sarif.ts";
export { type ProjectStatus, projectStatus } from "./status.ts";
export { type ProjectSurfaceOptions, projectSurface } from "./surface.ts";
export type { CheckedReference, ReferenceStatus } from "./verify.ts";
export { type VerifyReport, verifyProject } from "./verify-project.ts";
