import { checkTexts, typeName } from "../engine/check-fields.ts";
import { defaultLimits, type Limits } from "../engine/limits.ts";
import type { SessionRow, State } from "../engine/state.ts";
import { isLongerThan, normaliseText, normaliseTexts, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { Store } from "../stores/store.ts";
import type { Knowledge } from "../surfaces/knowledge/knowledge.ts";
import type { ApplyOptions, Session } from "./session.ts";

/** A piece of rendered memory, and where it wants to stand. */
export interface Block {
  surface: string;
  /** `system`: at the end of the system prompt. `message`: before the newest user message, never stored. */
  placement: "system" | "message";
  text: string;
}

/** What the model is to see of a session. */
export interface Context {
  /** Names of the surfaces in use. */
  surfaces: readonly string[];
  /** How to use the registered surfaces; the same from turn to turn. */
  guidance: string;
  blocks: readonly Block[];
  /** Guidance and the blocks for the system prompt, in the order they are to stand there. */
  system: string;
  /** The blocks for the message, or "". */
  message: string;
}

/** What a tool call gives back. `text` is for the model, `output` for programs. */
export type ToolAnswer =
  | { ok: true; output: Record<string, unknown>; text: string }
  | { ok: false; code: string; text: string; data: Record<string, unknown> };

/** A tool as a model is told of it. The schemas are JSON Schema. */
export interface ToolDescription {
  name: string;
  surface: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  readOnly: boolean;
  destructive: boolean;
  idempotent: boolean;
}

/** The surfaces in use, as a session sees them. */
export interface Toolbox {
  /** The tools, with those that this agent made itself. */
  describe(agent?: Pick<SessionRow, "owner" | "agent">): ToolDescription[];
  /** To be called before `context` and `describe`, so that they show what is kept outside the session as it is now. */
  refresh(session: Session): Promise<void>;
  context(state: State): Context;
  /** `signal` ends what a tool is still doing; what it has written stays. */
  dispatch(
    session: Session,
    tool: string,
    input: unknown,
    options: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<ToolAnswer>;
}

/** What a session needs besides: the way to what its agent knows. */
export interface SessionSetting extends Setting {
  knowledge(agent: string): Promise<Knowledge>;
}

/** What a memory needs of the world, and its budgets. */
export interface Setting {
  toolbox: Toolbox;
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
