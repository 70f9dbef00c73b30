/** A kind of secret that is known by its shape. */
interface SecretKind {
  /** As shown in place of the secret. */
  name: string;
  /** Texts of which one is in every secret of this kind. A text without them is not searched with the pattern. */
  hints: readonly string[];
  /**
   * Bounded on both sides of each repetition, so that it takes linear time. With a group `secret`, only that part is
   * the secret.
   */
  pattern: RegExp;
  /** Random characters have at least this many bits each; lower for keys with few different characters. */
  minEntropy?: number;
  /** An extra check on the secret. */
  check?: (secret: string) => boolean;
}

/** Not inside a longer word. */
const start = "(?<![A-Za-z0-9_])";
const end = "(?![A-Za-z0-9_])";

/** A kind whose secrets begin in one of a few ways. A prefix with more than plain alternatives needs hints of its own. */
function prefixed(name: string, prefix: string, rest: string, more: Partial<SecretKind> = {}): SecretKind {
  const hints = prefix.replaceAll("\\", "").split("|");
  return { name, hints, pattern: new RegExp(`${start}(?:${prefix})${rest}${end}`, "g"), ...more };
}

const hasDigit = (secret: string) => /\d/.test(secret);

/** Kinds whose shape alone tells them. The expressions are our own; prefixes and lengths are facts of each service. */
const secretKinds: readonly SecretKind[] = [
  prefixed("aws-access-key", "AKIA|ASIA|ABIA|ACCA", "[A-Z2-7]{16}"),
  prefixed("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,200}={0,2}"),
  prefixed("anthropic-key", "sk-ant-(?:api|admin|oat)\\d\\d-", "[A-Za-z0-9_-]{60,140}", {
    hints: ["sk-ant-"],
  }),
  prefixed("openai-key", "sk-(?:proj|svcacct|admin|None)-", "[A-Za-z0-9_-]{40,200}", {
    hints: ["sk-"],
    check: hasDigit,
  }),
  prefixed("openai-legacy-key", "sk-", "[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}", { hints: ["T3BlbkFJ"] }),
  prefixed("openrouter-key", "sk-or-v1-", "[0-9a-f]{64}"),
  prefixed("google-api-key", "AIza", "[A-Za-z0-9_-]{35}"),
  prefixed("google-oauth-secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
  prefixed("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", "[A-Za-z0-9]{36,251}"),
  prefixed("github-fine-grained-token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
  prefixed(
    "gitlab-token",
    "glpat-|glptt-|gldt-|glrt-|glcbt-|glsoat-|glfeed-|glagent-|glimt-|gloas-",
    "[A-Za-z0-9_-]{20,64}",
    { check: hasDigit },
  ),
  prefixed("npm-token", "npm_", "[A-Za-z0-9]{36}"),
  prefixed("pypi-token", "pypi-", "AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}"),
  prefixed("rubygems-key", "rubygems_", "[0-9a-f]{48}"),
  prefixed("docker-token", "dckr_(?:pat|oat)_", "[A-Za-z0-9_-]{27,40}", { hints: ["dckr_"] }),
  prefixed("slack-token", "xox[abeoprs]-", "[A-Za-z0-9-]{20,250}", { hints: ["xox"], check: hasDigit }),
  prefixed("slack-app-token", "xapp-\\d-", "[A-Z0-9]{8,20}-\\d{8,16}-[a-f0-9]{32,80}", { hints: ["xapp-"] }),
  {
    name: "slack-webhook",
    hints: ["hooks.slack.com"],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{30,100})/g,
  },
  {
    name: "discord-webhook",
    hints: ["/api/webhooks/"],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/(?<secret>[A-Za-z0-9_-]{60,80})/g,
  },
  prefixed("discord-token", "[MNO]", "[A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}", {
    hints: ["."],
    check: hasDigit,
  }),
  prefixed("telegram-token", "\\d{8,10}:AA", "[A-Za-z0-9_-]{33}", { hints: [":AA"] }),
  prefixed("stripe-key", "(?:sk|rk)_(?:live|test)_", "[A-Za-z0-9]{24,128}", {
    hints: ["k_live_", "k_test_"],
  }),
  prefixed("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}"),
  prefixed("square-token", "EAAA|sq0(?:atp|csp)-", "[A-Za-z0-9_-]{22,64}", {
    hints: ["EAAA", "sq0"],
    check: hasDigit,
  }),
  prefixed("shopify-token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}", { hints: ["shp"] }),
  prefixed("twilio-key", "SK", "[0-9a-f]{32}", { check: hasDigit }),
  prefixed("sendgrid-key", "SG\\.", "[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"),
  prefixed("mailgun-key", "key-", "[0-9a-f]{32}", { check: hasDigit }),
  prefixed("mailchimp-key", "", "[0-9a-f]{32}-us\\d{1,2}", { hints: ["-us"], check: hasDigit }),
  prefixed("hugging-face-token", "hf_|api_org_", "[A-Za-z0-9]{34}"),
  prefixed("replicate-token", "r8_", "[A-Za-z0-9]{37}"),
  prefixed("groq-key", "gsk_", "[A-Za-z0-9]{52}"),
  prefixed("perplexity-key", "pplx-", "[A-Za-z0-9]{48}"),
  prefixed("xai-key", "xai-", "[A-Za-z0-9]{80}"),
  prefixed("databricks-token", "dapi", "[0-9a-f]{32}(?:-\\d)?"),
  prefixed("digitalocean-token", "do[opr]_v1_", "[0-9a-f]{64}", { hints: ["_v1_"] }),
  prefixed("fly-token", "fo1_|fm[12][ar]?_", "[A-Za-z0-9+/_-]{43,600}={0,3}", {
    hints: ["fo1_", "fm1", "fm2"],
  }),
  prefixed("netlify-token", "nfp_", "[A-Za-z0-9]{36}"),
  prefixed("vercel-token", "vcp_|vck_|vci_|vcr_", "[A-Za-z0-9]{24,80}", { check: hasDigit }),
  prefixed("cloudflare-origin-key", "v1\\.0-", "[0-9a-f]{24}-[0-9a-f]{146}"),
  prefixed("heroku-key", "HRKU-", "[A-Za-z0-9_-]{36,64}"),
  prefixed("terraform-token", "", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}", {
    hints: [".atlasv1."],
  }),
  prefixed("vault-token", "hvs\\.|hvb\\.|hvr\\.", "[A-Za-z0-9_-]{24,300}"),
  prefixed("pulumi-token", "pul-", "[0-9a-f]{40}"),
  prefixed("doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "[A-Za-z0-9_.-]{40,60}", {
    hints: ["dp."],
  }),
  prefixed("grafana-token", "glsa_|glc_", "[A-Za-z0-9+/_]{32,400}={0,2}"),
  prefixed("new-relic-key", "NRAK-|NRII-", "[A-Z0-9-]{27,32}"),
  prefixed("sentry-token", "sntrys_|sntryu_", "[A-Za-z0-9+/_=-]{60,400}"),
  prefixed("linear-key", "lin_(?:api|oauth)_", "[A-Za-z0-9]{40,64}", { hints: ["lin_"] }),
  prefixed("notion-token", "ntn_", "[A-Za-z0-9]{43,50}"),
  prefixed("airtable-token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  prefixed("figma-token", "figd_", "[A-Za-z0-9_-]{38,60}"),
  prefixed("atlassian-token", "ATATT3", "[A-Za-z0-9_=-]{150,220}"),
  prefixed("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  prefixed("planetscale-token", "pscale_(?:tkn|oauth|pw)_", "[A-Za-z0-9_.=-]{32,64}", { hints: ["pscale_"] }),
  prefixed("supabase-key", "sb(?:p|_secret)_", "[A-Za-z0-9_-]{30,60}", {
    hints: ["sbp_", "sb_secret_"],
    check: hasDigit,
  }),
  prefixed("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
  {
    name: "json-web-token",
    hints: ["eyJ"],
    pattern: /(?<![\w-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}/g,
    check: isJsonHead,
  },
  {
    name: "url-password",
    hints: ["://"],
    // Begins at the colon, because a scheme could begin at any letter.
    pattern:
      /(?<=(?<![\w+.-])[a-z][a-z0-9+.-]{1,30}):\/\/[^\s:/@?#"'`<>]{0,80}:(?<secret>[^\s/@?#"'`<>:]{6,120})@(?=[\w[.-])/gi,
    minEntropy: 2,
    // Words alone are documentation; letters whose case changes again and again are none.
    check: (secret) => /[^A-Za-z]/.test(secret) || /^(?:[A-Z]{0,40}[a-z]{1,40}[A-Z]{1,40}){3}/.test(secret),
  },
  {
    name: "authorization-header",
    hints: ["earer ", "asic "],
    pattern: /\b(?:bearer|basic)[ \t]{1,4}(?<secret>[A-Za-z0-9._~+/-]{20,1000}={0,2})(?![\w.])/gi,
    minEntropy: 3.4,
    check: hasDigit,
  },
  {
    name: "azure-connection-key",
    hints: ["AccountKey=", "SharedAccessKey="],
    pattern: /\b(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{40,90}={0,2})/g,
  },
];

/** The first part of a token is a JSON object, such as `{"alg":…`. */
function isJsonHead(token: string): boolean {
  try {
    const head = atob((token.split(".")[0] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return head.startsWith('{"');
  } catch {
    return false;
  }
}

/** A secret in a text. */
interface FoundSecret {
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

/** A name that announces a secret: `DB_PASSWORD=…`, `"api_key": "…"`, also in JSON inside of JSON. */
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
