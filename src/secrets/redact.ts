import { mapStrings } from "../engine/json.ts";
import { HoldfastError } from "../errors.ts";
import { findSecrets } from "./find-secrets.ts";

/** The handling of a secret in a text that is to be stored: kept, replaced, or the whole write refused. */
export type SecretPolicy = (typeof secretPolicies)[number];

export const secretPolicies = ["allow", "redact", "refuse"] as const;

/** A secret that was replaced: its kind, and a fingerprint by which equal secrets are known. */
export interface Redaction {
  kind: string;
  fingerprint: string;
}

/** Replaces the secrets of a text: `[REDACTED github-token #1a2b3c]`. */
export function redactText(text: string, redactions: Redaction[] = []): string {
  const found = findSecrets(text);
  if (found.length === 0) return text;
  let [out, from] = ["", 0];
  for (const secret of found) {
    const redaction = { kind: secret.kind, fingerprint: fingerprintOf(secret.text) };
    redactions.push(redaction);
    out += `${text.slice(from, secret.from)}${markerOf(redaction)}`;
    from = secret.to;
  }
  return out + text.slice(from);
}

function markerOf({ kind, fingerprint }: Redaction): string {
  return `[REDACTED ${kind} #${fingerprint}]`;
}

/** Redacts every string in a value, but not the names of its fields. Returns the value itself if it has no secrets. */
export function redactTexts<T>(value: T, redactions: Redaction[] = []): T {
  return mapStrings(value, (text) => redactText(text, redactions));
}

/**
 * Replaces the secrets of a text by as many characters, so that the edits of a journal still fit. Shows as much of the
 * marker as there is room for.
 */
export function maskText(text: string, redactions: Redaction[] = []): string {
  let [out, from] = ["", 0];
  for (const { kind, text: secret, from: start, to } of findSecrets(text)) {
    const redaction = { kind, fingerprint: fingerprintOf(secret) };
    redactions.push(redaction);
    out += text.slice(from, start) + mask(secret.length, redaction);
    from = to;
  }
  return out + text.slice(from);
}

/** A marker of exactly this length. */
function mask(length: number, { kind, fingerprint }: Redaction): string {
  const forms = [`[REDACTED ${kind} #${fingerprint}]`, `[REDACTED #${fingerprint}]`, "[REDACTED]"];
  return (forms.find((form) => form.length <= length) ?? "").padEnd(length, "*");
}

/** Applies a policy to what is to be stored. Throws under `refuse`, before anything is stored. */
export function applyPolicy<T>(value: T, policy: SecretPolicy): { value: T; redactions: Redaction[] } {
  const redactions: Redaction[] = [];
  if (policy === "allow") return { value, redactions };
  const redacted = redactTexts(value, redactions);
  if (policy === "refuse" && redactions.length > 0) {
    throw new HoldfastError(
      "secret_refused",
      `This contains ${describeKinds(redactions)}. Nothing was changed: secrets are not stored here. Write down where the secret is kept, such as the name of an environment variable, instead of its value.`,
      { data: { kinds: redactions.map(({ kind }) => kind) } },
    );
  }
  return { value: redacted, redactions };
}

/** One line for the agent and the person. */
export function describeRedactions(redactions: readonly Redaction[]): string {
  const markers = [...new Set(redactions.map(markerOf))];
  const shown = markers.slice(0, 5).join(", ");
  const more = markers.length > 5 ? ` and ${markers.length - 5} more` : "";
  return `Stored without ${describeKinds(redactions)}: ${shown}${more}. Refer to a secret by where it is kept, not by its value.`;
}

function describeKinds(redactions: readonly Redaction[]): string {
  const kinds = [...new Set(redactions.map(({ kind }) => kind))];
  const count = new Set(redactions.map(({ fingerprint }) => fingerprint)).size;
  return `${count === 1 ? "a secret" : `${count} secrets`} (${kinds.join(", ")})`;
}

/** Six hex digits that tell secrets apart and say nothing about them: FNV-1a, cut to 24 bits. */
function fingerprintOf(secret: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < secret.length; at++) hash = Math.imul(hash ^ secret.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 24)) & 0xffffff).toString(16).padStart(6, "0");
}

/** An edit that replaces every occurrence of a text, in upper or lower case, by as many characters. */
export function maskOccurrences(wanted: string): (text: string) => string {
  return maskMatches(new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu"));
}

/** An edit that replaces whatever a pattern with the flag `g` matches by as many characters. */
export function maskMatches(pattern: RegExp): (text: string) => string {
  return (text) =>
    text.replaceAll(pattern, (match) =>
      mask(match.length, { kind: "text", fingerprint: fingerprintOf(match) }),
    );
}
