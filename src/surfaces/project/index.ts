export {
  type Finding,
  type FixReport,
  fixProject,
  type LintReport,
  lintProject,
  type RuleId,
  ruleSentences,
} from "./lint.ts";
export { findProjectRoot } from "./location.ts";
export {
  type CheckpointOptions,
  checkpointProject,
  type MomentOptions,
  type Recovered,
  recordSynthesis,
  type SynthesisOptions,
  startProjectSession,
  type Written,
} from "./moments.ts";
export { type Caller, initProject, openProject, type Project, type ProjectOptions } from "./project.ts";
export { type ProjectSurfaceOptions, projectSurface } from "./surface.ts";
export { type CheckedReference, type ReferenceStatus, type VerifyReport, verifyProject } from "./verify.ts";
