export { undoChange } from "./edit/change-notes.ts";
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
export { type FixReport, fixProject, type LintReport, lintProject } from "./lint/lint.ts";
export { type Finding, type RuleId, ruleSentences } from "./lint/rules.ts";
export { renderSarif } from "./lint/sarif.ts";
export { findProjectRoot } from "./notes-md/file.ts";
export { type Caller, openProject, type Project, type ProjectOptions } from "./project.ts";
export { type ProjectStatus, projectStatus } from "./status.ts";
export { type ProjectSurfaceOptions, projectSurface } from "./surface.ts";
export type { CheckedReference, ReferenceStatus } from "./verify/verify.ts";
export { type VerifyReport, verifyProject } from "./verify/verify-project.ts";
