import { isHoldfastError } from "../errors.ts";
import { findProject } from "../workspace/project.ts";
import { keepFailure } from "./failures.ts";

/** Prints each failure once and logs all of them for `holdfast doctor`. Never throws. */
export function failureReporter(
  host: string,
  printDefault: (line: string) => void = (line) => console.error(line),
): (event: string, error: unknown, cwd: string, print?: (line: string) => void) => void {
  const printed = new Set<string>();
  return (event, error, cwd, print = printDefault) => {
    const message = error instanceof Error ? error.message : String(error);
    const code = isHoldfastError(error) ? error.code : "internal";
    try {
      keepFailure(findProject(cwd).directory, { at: Date.now(), host, event, code, message });
      if (printed.has(message)) return;
      printed.add(message);
      print(`holdfast: ${event}: ${message}`);
    } catch {
      // A failure to report must not stop the agent either.
    }
  };
}
