import { checkTexts, typeName } from "../engine/check-fields.ts";
import type { Limits } from "../engine/limits.ts";
import type { RetentionRules } from "../engine/retention.ts";
import { isLongerThan, normaliseText, normaliseTexts, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { SecretGuard } from "../secrets/guard.ts";
import type { Store } from "../stores/store.ts";
import type { ApplyOptions } from "../surfaces/session-handle.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../surfaces/surfaces.ts";
import type { Toolbox } from "../surfaces/toolbox.ts";

/** A built-in surface by name, or a custom one. */
export type SurfaceChoice = SurfaceName | Surface;

/** The parts of a memory: one object from `openMemory` to its sessions, agents and adapters. */
export interface MemoryConfig {
  /** The memory's own surfaces. Nothing changes them later. */
  toolbox: Toolbox;
  /** Creates a toolbox for an agent or an adapter with other surfaces; undefined if there are no tools. */
  makeToolbox?: (surfaces: readonly SurfaceChoice[]) => Toolbox;
  /** The default surfaces; undefined if the caller chose surfaces. */
  defaultSurfaces?: readonly SurfaceChoice[] | undefined;
  store: Store;
  owner: string;
  /** The project that the sessions are of: they show its pins (default: none). */
  project?: string | undefined;
  limits: Limits;
  clock: () => number;
  makeId: () => string;
  countTokens: (text: string) => number;
  /** Whether a compaction extracts a handoff from the conversation (default: true). */
  handoff?: boolean;
  /** Default: redacts secrets and reports nothing. */
  guard?: SecretGuard;
  /** How long the store keeps history, model calls and removed sessions (default: no limit). */
  retention?: RetentionRules;
}

/**
 * The surfaces of one agent or adapter: those it chose; else the memory's, with `added` if the memory was opened without
 * naming any.
 */
export function toolboxFor(
  { toolbox, makeToolbox, defaultSurfaces }: MemoryConfig,
  chosen: readonly SurfaceChoice[] | undefined,
  added: readonly SurfaceChoice[],
): Toolbox {
  const surfaces = chosen ?? (defaultSurfaces && [...new Set([...defaultSurfaces, ...added])]);
  return surfaces && makeToolbox ? makeToolbox(surfaces) : toolbox;
}

/** Random, and safe as a file name. */
export function makeSessionId(): string {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `ses_${Array.from(bytes, (byte) => alphabet[byte & 31]).join("")}`;
}

/** Stores index keys, so keys must be short. */
const maxKeyCharacters = 255;

export function checkApplyOptions(options: ApplyOptions): ApplyOptions {
  const { key } = options;
  if (key !== undefined && (typeof key !== "string" || key === "" || isLongerThan(key, maxKeyCharacters))) {
    throw new HoldfastError(
      "invalid_input",
      `An idempotency key must be a string of 1 to ${maxKeyCharacters} characters (got ${typeof key === "string" ? quote(key) : typeName(key)}). Nothing was changed.`,
    );
  }
  return normaliseTexts(options, "options");
}

export function checkTitle(title: string): string {
  checkTexts({ title }, "title");
  return normaliseText(title, "title");
}

const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export function checkId(id: string, what: string): string {
  if (typeof id === "string" && idShape.test(id) && !id.includes("..")) return id;
  throw new HoldfastError(
    "invalid_input",
    `${quote(String(id))} is not a valid ${what}. Use 1 to 128 letters, digits, dots, dashes and underscores, starting with a letter or digit.`,
    { data: { [what]: id } },
  );
}
