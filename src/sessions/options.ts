import { checkTexts, typeName } from "../engine/check-fields.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import { isLongerThan, normaliseText, normaliseTexts, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { Store } from "../stores/store.ts";
import type { Knowledge } from "../surfaces/knowledge/knowledge.ts";
import type { ApplyOptions } from "../surfaces/session-handle.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../surfaces/surfaces.ts";
import type { Toolbox } from "../surfaces/toolbox.ts";
import type { Session } from "./session.ts";

/** What a session needs besides: the way to what its agent knows, and what its drivers change. */
export interface SessionSetting extends Setting, DriverSetting {
  knowledge(agent: string): Promise<Knowledge<Session>>;
}

/** What whoever drives a conversation (an agent, an adapter) takes from the memory instead of being given it again. */
export interface DriverSetting extends Pick<Setting, "toolbox" | "limits" | "countTokens" | "clock"> {
  /** Adds surfaces to a memory that was opened without naming any; one that named them keeps those. */
  offer(surfaces: readonly SurfaceChoice[], check?: (toolbox: Toolbox) => void): Toolbox;
  /** Uses exactly these surfaces from here on, if `check` does not throw. */
  use(surfaces: readonly SurfaceChoice[], check?: (toolbox: Toolbox) => void): Toolbox;
}

/** A surface by name, or given whole. */
export type SurfaceChoice = SurfaceName | Surface;

/** What a memory needs of the world, and its budgets. */
export interface Setting {
  toolbox: Toolbox;
  /** Makes a toolbox of surfaces; left out where there are no tools. */
  makeToolbox?: (surfaces: readonly SurfaceChoice[]) => Toolbox;
  /** The surfaces that a memory has by default; undefined when some were named. */
  defaultSurfaces?: readonly SurfaceChoice[] | undefined;
  store: Store;
  owner: string;
  limits: Limits;
  clock: () => number;
  makeId: () => string;
  countTokens: (text: string) => number;
}

export function mergeLimits(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaultLimits)) {
      throw new HoldfastError(
        "invalid_input",
        `There is no limit called "${name}". The limits are: ${Object.keys(defaultLimits).join(", ")}.`,
      );
    }
    if (!Number.isInteger(value) || (value as number) < 1) {
      throw new HoldfastError(
        "invalid_input",
        `The limit "${name}" must be a whole number of at least 1 (got ${value}).`,
      );
    }
  }
  return { ...defaultLimits, ...given };
}

/** Ids are random and never paths. */
export function makeSessionId(): string {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `ses_${Array.from(bytes, (byte) => alphabet[byte & 31]).join("")}`;
}

/** Keys are indexed by the stores, so they are short. */
const longestKey = 255;

export function checkApplyOptions(options: ApplyOptions): ApplyOptions {
  const { key } = options;
  if (key !== undefined && (typeof key !== "string" || key === "" || isLongerThan(key, longestKey))) {
    throw new HoldfastError(
      "invalid_input",
      `An idempotency key is a string of 1 to ${longestKey} characters (got ${typeof key === "string" ? quote(key) : typeName(key)}). Nothing was changed.`,
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
    `${quote(String(id))} is no valid ${what}. Use 1 to 128 letters, digits, dots, dashes and underscores, beginning with a letter or digit.`,
    { data: { [what]: id } },
  );
}
