export { defaultSandboxLimits, type LimitName, type SandboxLimits } from "./limits.ts";
export {
  createSandbox,
  type Program,
  type Sandbox,
  type SandboxApi,
  type SandboxFailure,
  type SandboxOptions,
  type SandboxResult,
} from "./sandbox.ts";
export { type SandboxSurfaceOptions, sandboxSurface } from "./surface.ts";
