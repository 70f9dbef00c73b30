import { isHoldfastError } from "../errors.ts";
import { findProject } from "../workspace/project.ts";
import { keepFailure } from "./failures.ts";

/** Says what failed, each thing once, and keeps it for `holdfast doctor`. Never throws. */
export function failureReporter(
  host: string,
  say: (line: string) => void = (line) => console.error(line),
): (event: string, error: unknown, cwd: string, tell?: (line: string) => void) => void {
  const said = new Set<string>();
  return (event, error, cwd, tell = say) => {
    const message = error instanceof Error ? error.message : String(error);
    const code = isHoldfastError(error) ? error.code : "internal";
    try {
      keepFailure(findProject(cwd).directory, { at: Date.now(), host, event, code, message });
      if (said.has(message)) return;
      said.add(message);
      tell(`holdfast: ${event}: ${message}`);
    } catch {
      // What cannot even be said must not stop the agent either.
    }
  };
}
