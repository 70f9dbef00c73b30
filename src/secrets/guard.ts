import { mapStrings } from "../engine/json.ts";
import {
  applyPolicy,
  describeRedactions,
  maskText,
  type Redaction,
  redactTexts,
  type SecretPolicy,
} from "./redact.ts";

/** Keeps secrets out of a memory, and out of what leaves it. */
export interface SecretGuard {
  readonly policy: SecretPolicy;
  /**
   * Before storing: redacts or refuses, and reports. `notice` is one line for the agent, "" if nothing was found. A record
   * of what was said or done is redacted even under `refuse`: no one can say it differently, and the agent must go on.
   */
  clean<T>(value: T, options?: { isRecord?: boolean }): { value: T; notice: string };
  /** Before storing a document whose parts refer to positions in each other: keeps every length. */
  cleanDocument<T>(value: T): T;
  /** Before showing or exporting, because a store may have secrets from when they were allowed. */
  hide<T>(value: T): T;
  /** Like `hide`, and keeps every length. */
  hideInDocument<T>(value: T): T;
}

/** Tags are keys of a document. */
const hideText = (text: string) => maskText(text);

export function makeGuard(
  policy: SecretPolicy = "redact",
  warn: (warning: string) => void = () => {},
): SecretGuard {
  const isOff = policy === "allow";
  return {
    policy,
    clean(value, { isRecord = false } = {}) {
      const applied = isRecord && policy === "refuse" ? "redact" : policy;
      const { value: cleaned, redactions } = applyPolicy(value, applied);
      if (redactions.length === 0) return { value, notice: "" };
      const notice = describeRedactions(redactions);
      warn(notice);
      return { value: cleaned, notice };
    },
    cleanDocument(value) {
      if (isOff) return value;
      if (policy === "refuse") return applyPolicy(value, policy).value;
      const redactions: Redaction[] = [];
      const cleaned = mapStrings(value, (text) => maskText(text, redactions));
      if (redactions.length > 0) warn(describeRedactions(redactions));
      return cleaned;
    },
    hide: (value) => (isOff ? value : redactTexts(value)),
    hideInDocument: (value) => (isOff ? value : mapStrings(value, hideText, hideText)),
  };
}
