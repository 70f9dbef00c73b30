/** A kind of secret that is known by its shape. */
export interface SecretKind {
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

function prefixed(
  name: string,
  prefix: string,
  rest: string,
  hints: readonly string[],
  more: Partial<SecretKind> = {},
): SecretKind {
  return { name, hints, pattern: new RegExp(`${start}(?:${prefix})${rest}${end}`, "g"), ...more };
}

const hasDigit = (secret: string) => /\d/.test(secret);

/** Kinds whose shape alone tells them. The expressions are our own; prefixes and lengths are facts of each service. */
export const secretKinds: readonly SecretKind[] = [
  prefixed("aws-access-key", "AKIA|ASIA|ABIA|ACCA", "[A-Z2-7]{16}", ["AKIA", "ASIA", "ABIA", "ACCA"]),
  prefixed("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,200}={0,2}", ["ABSK"]),
  prefixed("anthropic-key", "sk-ant-(?:api|admin|oat)\\d\\d-", "[A-Za-z0-9_-]{60,140}", ["sk-ant-"]),
  prefixed("openai-key", "sk-(?:proj|svcacct|admin|None)-", "[A-Za-z0-9_-]{40,200}", ["sk-"], {
    check: hasDigit,
  }),
  prefixed("openai-legacy-key", "sk-", "[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}", ["T3BlbkFJ"]),
  prefixed("openrouter-key", "sk-or-v1-", "[0-9a-f]{64}", ["sk-or-v1-"]),
  prefixed("google-api-key", "AIza", "[A-Za-z0-9_-]{35}", ["AIza"]),
  prefixed("google-oauth-secret", "GOCSPX-", "[A-Za-z0-9_-]{28}", ["GOCSPX-"]),
  prefixed("github-token", "gh[pousr]_", "[A-Za-z0-9]{36,251}", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"]),
  prefixed("github-fine-grained-token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", ["github_pat_"]),
  prefixed(
    "gitlab-token",
    "gl(?:pat|ptt|dt|rt|cbt|soat|feed|agent|imt|oas)-",
    "[A-Za-z0-9_-]{20,64}",
    ["glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glfeed-", "glagent-", "glimt-", "gloas-"],
    {
      check: hasDigit,
    },
  ),
  prefixed("npm-token", "npm_", "[A-Za-z0-9]{36}", ["npm_"]),
  prefixed("pypi-token", "pypi-", "AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}", ["pypi-"]),
  prefixed("rubygems-key", "rubygems_", "[0-9a-f]{48}", ["rubygems_"]),
  prefixed("docker-token", "dckr_(?:pat|oat)_", "[A-Za-z0-9_-]{27,40}", ["dckr_"]),
  prefixed("slack-token", "xox[abeoprs]-", "[A-Za-z0-9-]{20,250}", ["xox"], { check: hasDigit }),
  prefixed("slack-app-token", "xapp-\\d-", "[A-Z0-9]{8,20}-\\d{8,16}-[a-f0-9]{32,80}", ["xapp-"]),
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
  prefixed(
    "discord-token",
    "[MNO]",
    "[A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
    ["."],
    {
      check: hasDigit,
    },
  ),
  prefixed("telegram-token", "\\d{8,10}:AA", "[A-Za-z0-9_-]{33}", [":AA"]),
  prefixed("stripe-key", "(?:sk|rk)_(?:live|test)_", "[A-Za-z0-9]{24,128}", ["k_live_", "k_test_"]),
  prefixed("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}", ["whsec_"]),
  prefixed("square-token", "EAAA|sq0(?:atp|csp)-", "[A-Za-z0-9_-]{22,64}", ["EAAA", "sq0"], {
    check: hasDigit,
  }),
  prefixed("shopify-token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}", ["shp"]),
  prefixed("twilio-key", "SK", "[0-9a-f]{32}", ["SK"], { check: hasDigit }),
  prefixed("sendgrid-key", "SG\\.", "[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}", ["SG."]),
  prefixed("mailgun-key", "key-", "[0-9a-f]{32}", ["key-"], { check: hasDigit }),
  prefixed("mailchimp-key", "", "[0-9a-f]{32}-us\\d{1,2}", ["-us"], { check: hasDigit }),
  prefixed("hugging-face-token", "hf_|api_org_", "[A-Za-z0-9]{34}", ["hf_", "api_org_"]),
  prefixed("replicate-token", "r8_", "[A-Za-z0-9]{37}", ["r8_"]),
  prefixed("groq-key", "gsk_", "[A-Za-z0-9]{52}", ["gsk_"]),
  prefixed("perplexity-key", "pplx-", "[A-Za-z0-9]{48}", ["pplx-"]),
  prefixed("xai-key", "xai-", "[A-Za-z0-9]{80}", ["xai-"]),
  prefixed("databricks-token", "dapi", "[0-9a-f]{32}(?:-\\d)?", ["dapi"]),
  prefixed("digitalocean-token", "do[opr]_v1_", "[0-9a-f]{64}", ["_v1_"]),
  prefixed("fly-token", "fo1_|fm[12][ar]?_", "[A-Za-z0-9+/_-]{43,600}={0,3}", ["fo1_", "fm1", "fm2"]),
  prefixed("netlify-token", "nfp_", "[A-Za-z0-9]{36}", ["nfp_"]),
  prefixed("vercel-token", "vc[pkir]_", "[A-Za-z0-9]{24,80}", ["vcp_", "vck_", "vci_", "vcr_"], {
    check: hasDigit,
  }),
  prefixed("cloudflare-origin-key", "v1\\.0-", "[0-9a-f]{24}-[0-9a-f]{146}", ["v1.0-"]),
  prefixed("heroku-key", "HRKU-", "[A-Za-z0-9_-]{36,64}", ["HRKU-"]),
  prefixed("terraform-token", "", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}", [".atlasv1."]),
  prefixed("vault-token", "hv[sbr]\\.", "[A-Za-z0-9_-]{24,300}", ["hvs.", "hvb.", "hvr."]),
  prefixed("pulumi-token", "pul-", "[0-9a-f]{40}", ["pul-"]),
  prefixed("doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "[A-Za-z0-9_.-]{40,60}", ["dp."]),
  prefixed("grafana-token", "gl(?:sa|c)_", "[A-Za-z0-9+/_]{32,400}={0,2}", ["glsa_", "glc_"]),
  prefixed("new-relic-key", "NRAK-|NRII-", "[A-Z0-9-]{27,32}", ["NRAK-", "NRII-"]),
  prefixed("sentry-token", "sntr(?:ys|yu)_", "[A-Za-z0-9+/_=-]{60,400}", ["sntry"]),
  prefixed("linear-key", "lin_(?:api|oauth)_", "[A-Za-z0-9]{40,64}", ["lin_"]),
  prefixed("notion-token", "ntn_", "[A-Za-z0-9]{43,50}", ["ntn_"]),
  prefixed("airtable-token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}", ["pat"]),
  prefixed("figma-token", "figd_", "[A-Za-z0-9_-]{38,60}", ["figd_"]),
  prefixed("atlassian-token", "ATATT3", "[A-Za-z0-9_=-]{150,220}", ["ATATT3"]),
  prefixed("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}", ["PMAK-"]),
  prefixed("planetscale-token", "pscale_(?:tkn|oauth|pw)_", "[A-Za-z0-9_.=-]{32,64}", ["pscale_"]),
  prefixed("supabase-key", "sb(?:p|_secret)_", "[A-Za-z0-9_-]{30,60}", ["sbp_", "sb_secret_"], {
    check: hasDigit,
  }),
  prefixed("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", ["AGE-SECRET-KEY-1"]),
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
