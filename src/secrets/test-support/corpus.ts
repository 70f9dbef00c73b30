import { seededRandom } from "../../../test/support/random.ts";

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const digits = "0123456789";
const hex = `${digits}abcdef`;
const letters = lower + upper;
const word = letters + digits;
const base64 = `${word}+/`;

/** Makes secrets and harmless look-alikes at run time, so that no scanner finds one in this repository. */
export function makeCorpus(seed: number): { secrets: [kind: string, secret: string][]; harmless: string[] } {
  const random = seededRandom(seed);
  const pick = (characters: string, length: number) =>
    Array.from({ length }, () => characters[random(characters.length)]).join("");
  // A run without a digit is unlikely but possible; real tokens have one.
  const token = (characters: string, length: number) => `7${pick(characters, length - 2)}4`;
  const join = (...parts: string[]) => parts.join("");
  const url = `${word}_-`;
  const pem = (kind: string) =>
    join(
      "-----BEGIN ",
      kind,
      "PRIVATE",
      " KEY-----\n",
      ...Array.from({ length: 12 }, () => `${pick(base64, 64)}\n`),
      "-----END ",
      kind,
      "PRIVATE",
      " KEY-----",
    );
  const jwtPart = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const uuid = () => [8, 4, 4, 4, 12].map((length) => pick(hex, length)).join("-");
  const secrets: [kind: string, secret: string][] = [
    ["aws-access-key", join("AK", "IA", pick(`${upper}234567`, 16))],
    ["aws-bedrock-key", join("AB", "SK", pick(base64, 120))],
    ["anthropic-key", join("sk-", "ant-api03-", token(url, 93))],
    ["openai-key", join("sk-", "proj-", token(url, 120))],
    ["openai-legacy-key", join("sk-", pick(word, 20), "T3Blbk", "FJ", pick(word, 20))],
    ["openrouter-key", join("sk-", "or-v1-", pick(hex, 64))],
    ["google-api-key", join("AI", "za", token(url, 35))],
    ["google-oauth-secret", join("GOC", "SPX-", token(url, 28))],
    ["github-token", join("gh", "p_", pick(word, 36))],
    ["github-fine-grained-token", join("github", "_pat_", pick(word, 22), "_", pick(word, 59))],
    ["gitlab-token", join("gl", "pat-", token(word, 20))],
    ["npm-token", join("np", "m_", pick(word, 36))],
    ["pypi-token", join("py", "pi-", "AgEIcHlwaS5vcmc", pick(word, 80))],
    ["rubygems-key", join("ruby", "gems_", pick(hex, 48))],
    ["docker-token", join("dckr", "_pat_", pick(word, 27))],
    ["slack-token", join("xo", "xb-", pick(digits, 12), "-", pick(digits, 12), "-", pick(word, 24))],
    ["slack-webhook", join("T", pick(word, 8), "/B", pick(word, 8), "/", pick(word, 24))],
    ["telegram-token", join(pick("123456789", 9), ":A", "A", pick(url, 32), "x")],
    ["stripe-key", join("sk", "_live_", pick(word, 24))],
    ["stripe-webhook-secret", join("wh", "sec_", pick(word, 32))],
    ["shopify-token", join("shp", "at_", pick(hex, 32))],
    ["twilio-key", join("S", "K", token(hex, 32))],
    ["sendgrid-key", join("S", "G.", pick(word, 22), ".", pick(word, 43))],
    ["mailgun-key", join("key", "-", token(hex, 32))],
    ["hugging-face-token", join("h", "f_", pick(letters, 34))],
    ["hugging-face-token", join("h", "f_", token(word, 34))],
    ["airtable-token", join("pa", "t", pick(word, 14), ".", pick(hex, 64))],
    ["replicate-token", join("r", "8_", pick(word, 37))],
    ["groq-key", join("gs", "k_", pick(word, 52))],
    ["databricks-token", join("da", "pi", pick(hex, 32))],
    ["digitalocean-token", join("do", "p_v1_", pick(hex, 64))],
    ["vault-token", join("hv", "s.", pick(word, 90))],
    ["terraform-token", join(pick(word, 14), ".atlas", "v1.", pick(word, 64))],
    ["grafana-token", join("gl", "sa_", pick(word, 32), "_", pick(hex, 8))],
    ["linear-key", join("lin", "_api_", pick(word, 40))],
    ["notion-token", join("nt", "n_", pick(word, 46))],
    ["figma-token", join("fi", "gd_", pick(word, 40))],
    ["postman-key", join("PM", "AK-", pick(hex, 24), "-", pick(hex, 34))],
    ["new-relic-key", join("NR", "AK-", pick(upper + digits, 27))],
    [
      "json-web-token",
      join(
        jwtPart({ alg: "HS256", typ: "JWT" }),
        ".",
        jwtPart({ sub: pick(word, 12), iat: 1 }),
        ".",
        pick(url, 42),
        "x",
      ),
    ],
    ["private-key", pem("RSA ")],
    ["private-key", pem("")],
    ["url-password", join(token(word, 14))],
    ["url-password", join("kQ", pick(lower, 3), "Zr", pick(upper, 2), pick(lower, 3), "Wv")],
    ["authorization-header", token(word, 40)],
    ["azure-connection-key", join(pick(base64, 86), "==")],
    ["password", join("Kq", pick(letters, 5), "9!", pick(word, 4))],
    ["credential", token(word, 32)],
    ["credential-uuid", uuid()],
  ];
  const harmless = [
    `request ${uuid()} and token id: ${uuid()}`,
    `"token": "${uuid()}"`,
    `commit ${pick(hex, 40)} touches ${pick(hex, 7)}`,
    `sha256:${pick(hex, 64)}`,
    `"integrity": "sha512-${pick(base64, 86)}=="`,
    `checksum = "${pick(hex, 64)}"`,
    `![logo](data:image/png;base64,${pick(base64, 600)})`,
    join("AK", "IA", "IOSFODNN7", "EXAMPLE"),
    `api_key = "your-api-key-here"`,
    "OPENAI_API_KEY=sk-...",
    "export TOKEN=$" + "{GITHUB_TOKEN}",
    "password: process.env.DB_PASSWORD",
    "const token = await getToken(session);",
    "password = getpass.getpass()",
    "token: string; secret?: SecretValue; apiKey: ApiKeyOptions",
    "max_tokens: 128000, cacheKey: user-session-key",
    "postgres://localhost:5432/app",
    "postgres://user:$" + "{PASSWORD}@db/app",
    "https://user@example.com:8080/path",
    "secretKeyRef: my-app-secrets",
    "The password is stored in 1Password under deploy/production.",
    "git+ssh://git@github.com:owner/repo.git#v1.2.3",
    "sk-learn and sk_test helpers; ghp_ is the prefix of GitHub tokens",
    `key: ${pick(lower, 5)}-${pick(lower, 6)}-${pick(lower, 7)}`,
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    `-----BEGIN PUBLIC KEY-----\n${pick(base64, 64)}\n-----END PUBLIC KEY-----`,
    "Authorization: Bearer $TOKEN",
    "token=2026-11-16T10:00:00Z",
    "password: ********",
    `etag "${pick(hex, 32)}" id=${pick(digits, 18)}`,
    "src/auth/tokens/refresh-token.ts:42 secret: ./secrets/prod.yaml",
  ];
  return { secrets, harmless };
}

/** How people and programs write secrets down. */
export function inContext(kind: string, secret: string): string[] {
  if (kind === "slack-webhook") return [`https://hooks.slack.com/services/${secret}`];
  if (kind === "url-password") return [`DATABASE_URL=postgres://app:${secret}@db.internal:5432/app`];
  if (kind === "authorization-header") return [`curl -H "Authorization: Bearer ${secret}" https://api.test`];
  if (kind === "azure-connection-key") return [`AccountName=a;AccountKey=${secret};EndpointSuffix=x`];
  if (kind === "credential-uuid") return [`HEROKU_API_KEY=${secret}`, `"client_secret": "${secret}"`];
  if (kind === "password") return [`DB_PASSWORD=${secret}`, `"password": "${secret}"`, `pwd: '${secret}'`];
  if (kind === "credential")
    return [
      `API_KEY=${secret}`,
      `clientSecret: "${secret}"`,
      `auth_token = '${secret}'`,
      // JSON in JSON, and in that.
      JSON.stringify({ body: JSON.stringify({ client_secret: secret }) }),
      JSON.stringify({ line: `curl -d "${JSON.stringify({ api_key: secret }).replaceAll('"', '\\"')}"` }),
    ];
  return [
    secret,
    `Use ${secret} for the deploy.`,
    `"key": "${secret}",`,
    `(${secret})`,
    `export X=${secret}\n`,
  ];
}
