import { type SecretKind, secretKinds } from "./kinds.ts";

/** A secret in a text. */
export interface FoundSecret {
  kind: string;
  from: number;
  to: number;
  text: string;
}

/** Finds the secrets of a text, in order and without overlaps. Takes linear time, and none to speak of for ordinary text. */
export function findSecrets(text: string): FoundSecret[] {
  if (text.length < minLength) return [];
  const found = [
    ...(hasLongToken(text) || text.includes("://") ? kindsIn(text) : []),
    ...findPrivateKeys(text),
    ...findAssigned(text),
  ];
  if (found.length < 2) return found;
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  let reached = -1;
  return found.filter(({ from, to }) => {
    if (from < reached) return false;
    reached = to;
    return true;
  });
}

/** No secret is shorter. */
const minLength = 12;

/** Every kind but a password in an address has as many of these characters in a row. */
const tokenLength = 20;

const isTokenCode = Array.from({ length: 128 }, (_, code) => /[\w+/=.:-]/.test(String.fromCharCode(code)));

/** Looks at every twentieth character, and backwards only from those that a token may have there. */
function hasLongToken(text: string): boolean {
  let last = tokenLength - 1;
  while (last < text.length) {
    let from = last + 1;
    while (from > last + 1 - tokenLength && isTokenCode[text.charCodeAt(from - 1)]) from--;
    if (from === last + 1 - tokenLength) return true;
    last = from + tokenLength - 1;
  }
  return false;
}

const defaultEntropy = 2.8;

/** Texts have a full stop too often for a hint. */
const isCommon = (hint: string) => hint === ".";

const alwaysSearched = secretKinds.filter(({ hints }) => hints.some(isCommon));

/** One search for all hints: most texts have none. */
const anyHint = new RegExp(
  [...new Set(secretKinds.flatMap(({ hints }) => hints))]
    .filter((hint) => !isCommon(hint))
    .map((hint) => hint.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("|"),
);

function kindsIn(text: string): FoundSecret[] {
  return (anyHint.test(text) ? secretKinds : alwaysSearched).flatMap((kind) => findKind(text, kind));
}

function findKind(
  text: string,
  { name, hints, pattern, minEntropy = defaultEntropy, check }: SecretKind,
): FoundSecret[] {
  if (!hints.some((hint) => text.includes(hint))) return [];
  return Array.from(text.matchAll(pattern), (match) => placeOf(name, match)).filter(
    ({ text: secret }) =>
      !isExample(secret) && entropyOf(secret) >= minEntropy && (check === undefined || check(secret)),
  );
}

function placeOf(kind: string, match: RegExpMatchArray): FoundSecret {
  const text = match.groups?.secret ?? match[0];
  const from = (match.index ?? 0) + match[0].lastIndexOf(text);
  return { kind, from, to: from + text.length, text };
}

const keyStart = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** From the line that begins a key to the one that ends it, or to the end of its base64 if that line is missing. */
function findPrivateKeys(text: string): FoundSecret[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const starts = Array.from(text.matchAll(keyStart), ({ 0: line, index }) => ({
    index,
    end: index + line.length,
  }));
  return starts.flatMap(({ index, end }, number) => {
    const limit = Math.min(starts[number + 1]?.index ?? text.length, end + maxKeyLength);
    const rest = text.slice(end, limit);
    const closing = rest.indexOf("-----END ");
    const to = closing === -1 ? end + keyText(rest) : endOfMarker(text, end + closing);
    const secret = text.slice(index, to);
    // A long key may contain the letters of such a word by chance.
    const isForDocs = to - end < 40 || (to - end < 200 && isExample(secret));
    return isForDocs ? [] : [{ kind: "private-key", from: index, to, text: secret }];
  });
}

const maxKeyLength = 20_000;

/** How long the base64 is that a text begins with, with line ends written or escaped. */
function keyText(text: string): number {
  return /^[A-Za-z0-9+/=\s\\]*/.exec(text)?.[0].trimEnd().length ?? 0;
}

function endOfMarker(text: string, at: number): number {
  const end = text.indexOf("-----", at + "-----END ".length);
  return end === -1 ? text.length : end + 5;
}

/** A name that says what follows: `DB_PASSWORD=…`, `"api_key": "…"`, also in JSON inside of JSON. */
const assigned =
  /(?<![A-Za-z0-9])(?<name>(?:[A-Za-z0-9]{1,24}[_.-]){0,4}[A-Za-z0-9]{0,24}?(?:password|passwd|passphrase|pwd|secret|secret[_-]?key|api[_-]?key|apikey|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|private[_-]?key|token|credentials?)(?:[_-](?:id|key|value|base64|prod|dev|staging|live)){0,2})(?:\\{0,3}["'])?[ \t]{0,4}(?::|=|=>|:=)[ \t]{0,4}(?<quote>\\{0,3}["'`]|)(?<secret>[^\s"'`,;<>(){}[\]$]{8,200})\k<quote>/gi;

/** The end of such a name and what follows it, before the whole is searched for. */
const nameHint = /(?:pass|pwd|secret|key|token|credential)[\w-]{0,24}(?:\\{0,3}["'])?[ \t]{0,4}[:=]/i;

/** Values after a telling name, if they are as random as a secret; words, paths and placeholders are not. */
function findAssigned(text: string): FoundSecret[] {
  if (!nameHint.test(text)) return [];
  return Array.from(text.matchAll(assigned), (match) => {
    const name = (match.groups?.name ?? "").toLowerCase();
    return { ...placeOf(/pass|pwd/.test(name) ? "password" : "credential", match), name };
  }).filter(({ text: secret, kind, name }) => {
    if (
      isExample(secret) ||
      (isOrdinaryValue(secret) && !(uuid.test(secret) && /(?:api[_-]?key|client[_-]?secret)$/.test(name))) ||
      /(?:^|[_.-])(?:public|file|path|name|url|count|limit|max|id)$/.test(name)
    )
      return false;
    return kind === "password" ? isPassword(secret) : isRandom(secret);
  });
}

/** Long enough, of several kinds of characters, and not words. */
function isRandom(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) >= 3.2;
}

function isPassword(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((each) => each.test(value)).length;
  return (kinds >= 3 || (kinds === 2 && value.length >= 12 && /\d/.test(value))) && entropyOf(value) >= 2.5;
}

/** Placeholders for secrets in documentation: `your-api-key`, `xxxx`, `${TOKEN}`, `AKIAIOSFODNN7EXAMPLE`. */
function isExample(secret: string): boolean {
  return exampleWords.test(secret) || /(.)\1{7}/.test(secret) || isSequence(secret);
}

const exampleWords =
  /^\$|\$\{|\{\{|example|sample|dummy|placeholder|changeme|change_me|your[_-]|xxxx|redacted|<[a-z_-]{1,40}>|\*{4}|\.{3}|fake|not-?a-?(?:real|secret)|insert|todo|process\.env|os\.environ|abcdef|123456|deadbeef/i;

/** Mostly the next letter or digit after the one before it. */
function isSequence(secret: string): boolean {
  let steps = 0;
  for (let at = 1; at < secret.length; at++)
    if (secret.charCodeAt(at) === secret.charCodeAt(at - 1) + 1) steps++;
  return steps > secret.length * 0.6;
}

/** UUIDs, hashes, versions, dates, paths, URLs, file names and code are not secrets. */
function isOrdinaryValue(value: string): boolean {
  return ordinary.some((pattern) => pattern.test(value));
}

/** Some services give keys of this form. */
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const ordinary = [
  uuid,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i,
  /^sha(?:1|256|384|512)[-:]/i,
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)/,
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|urn:)/i,
  /^\d[\d.:TZ+-]{0,40}$/,
  /^[A-Za-z_][\w]{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}(?:\(|$)/,
  /^(?:[A-Z][a-z]{1,20}){2,8}$/,
  /^[a-z]{1,24}(?:[_-][a-z]{1,24}){0,8}$/i,
  /^(?:true|false|null|undefined|none)\b/i,
];

/** Shannon's entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
