export {
  type CheckpointOptions,
  checkpointProject,
  type LifecycleOptions,
  type Recovered,
  startProjectSession,
  type Written,
} from "./lifecycle.ts";
export {
  type Finding,
  type LintReport,
  lintProject,
  type RuleId,
} from "./lint.ts";
export { type Caller, initProject, openProject, type Project, type ProjectOptions } from "./project.ts";
export { projectSurface } from "./surface.ts";
export { type CheckedReference, type ReferenceStatus, type VerifyReport, verifyProject } from "./verify.ts";
