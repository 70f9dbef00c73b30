import { checkTexts, typeName } from "../engine/check-fields.ts";
import type { Limits } from "../engine/limits.ts";
import type { RetentionRules } from "../engine/retention.ts";
import { isLongerThan, normaliseText, normaliseTexts, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { SecretGuard } from "../secrets/guard.ts";
import type { Store } from "../stores/store.ts";
import type { Knowledge } from "../surfaces/knowledge/knowledge.ts";
import type { ApplyOptions } from "../surfaces/session-handle.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../surfaces/surfaces.ts";
import type { Toolbox } from "../surfaces/toolbox.ts";
import type { Session } from "./session.ts";

/** A session's setting: adds access to the agent's knowledge, and what conversation drivers use. */
export interface SessionSetting extends Setting, DriverSetting {
  knowledge(agent: string): Promise<Knowledge<Session>>;
}

/** What a conversation driver (an agent, an adapter) takes from the memory. */
export interface DriverSetting
  extends Pick<Setting, "toolbox" | "limits" | "countTokens" | "clock" | "handoff"> {
  /** The first driver of a memory opened without naming surfaces adds its own; after that they are fixed. */
  offer(surfaces: readonly SurfaceChoice[], check?: (toolbox: Toolbox) => void): Toolbox;
  /** Exactly these surfaces: for the whole memory if it named none, else for this driver alone. */
  use(surfaces: readonly SurfaceChoice[], check?: (toolbox: Toolbox) => void): Toolbox;
}

/** A built-in surface by name, or a custom one. */
export type SurfaceChoice = SurfaceName | Surface;

/** A memory's dependencies and limits. */
export interface Setting {
  toolbox: Toolbox;
  /** Creates a toolbox for surfaces; undefined if there are no tools. */
  makeToolbox?: (surfaces: readonly SurfaceChoice[]) => Toolbox;
  /** The default surfaces; undefined if the caller chose surfaces. */
  defaultSurfaces?: readonly SurfaceChoice[] | undefined;
  store: Store;
  owner: string;
  limits: Limits;
  clock: () => number;
  makeId: () => string;
  countTokens: (text: string) => number;
  /** Whether a compaction extracts a handoff from the conversation (default: true). */
  handoff?: boolean;
  /** Default: redacts secrets and reports nothing. */
  guard?: SecretGuard;
  /** How long the store keeps history, model calls and removed sessions (default: for ever). */
  retention?: RetentionRules;
  /** Receives a warning before something goes because of the store's size. */
  onWarning?: (warning: string) => void;
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
