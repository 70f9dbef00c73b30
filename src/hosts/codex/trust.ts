import { type Finding, note, ok, problem } from "../doctor/finding.ts";
import { findProgram } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";
import { codex } from "./host.ts";
import { listCodexHooks } from "./list-hooks.ts";

const check = "trust";

/** Asks Codex itself whether it trusts the hooks. */
export async function checkTrust(places: Places): Promise<Finding[]> {
  const review = "Start codex here, type /hooks and trust those of holdfast.";
  const program = findProgram(codex.program, places.env);
  if (program === undefined) {
    const detail =
      "Codex is not on the PATH, so doctor cannot ask it. It silently skips hooks that you have not reviewed.";
    return [note(check, detail, review)];
  }
  const hooks = await listCodexHooks(program, places);
  if (typeof hooks === "string")
    return [note(check, `Codex did not list the hooks it trusts: ${hooks}`, review)];
  if (hooks.length === 0) {
    const detail =
      "Codex does not see the hooks: it reads a project's config only when the project is trusted.";
    return [
      problem(check, detail, "Start codex here, trust the project, type /hooks and trust those of holdfast."),
    ];
  }
  const untrusted = hooks.filter(({ isTrusted }) => !isTrusted).map(({ event }) => event);
  if (untrusted.length > 0) {
    const detail = `Codex silently skips hooks that you have not reviewed: ${untrusted.join(", ")}.`;
    return [problem(check, detail, review)];
  }
  const disabled = hooks.filter(({ isEnabled }) => !isEnabled).map(({ event }) => event);
  if (disabled.length > 0)
    return [
      problem(
        check,
        `Switched off in Codex: ${disabled.join(", ")}.`,
        "Start codex, type /hooks and enable them.",
      ),
    ];
  return [ok(check, `Codex trusts all ${hooks.length} hooks`)];
}
