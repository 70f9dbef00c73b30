import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { refuse } from "./refusal.ts";

/** Access rules: a request needs the token and must address the server by one of its own names. */
export interface Access {
  token: string;
  /** Host names and addresses that requests may use, without the port. */
  hosts: readonly string[];
  /** Known once the server listens. */
  port: () => number;
  /** One-time codes that open the page: every user of the machine can read the token off a browser's command line. */
  codes: Set<string>;
  /** Slows down wrong tokens. */
  penalty: Penalty;
}

/**
 * A browser sends a host's cookies to all of its ports, so a cookie for the whole host would reach any other local
 * server. The page is therefore under a path that only this server and its page know, and so is its cookie.
 */
function pagePath({ token }: Pick<Access, "token">): string {
  return `/${createHash("sha256").update(`path ${token}`).digest("base64url").slice(0, 22)}/`;
}

/** The path without the page's own prefix. */
export function pathWithin(access: Pick<Access, "token">, request: Request): string {
  const { pathname } = new URL(request.url);
  const prefix = pagePath(access);
  return pathname.startsWith(prefix) ? pathname.slice(prefix.length - 1) : pathname;
}

/** Sent with every response, errors included. */
const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Runs before every route: rejects requests without a valid Host, Origin and token. */
export function guard(access: Access): MiddlewareHandler {
  return async (context, next) => {
    const refusal =
      rejectForeignRequest(access, context.req.raw) ?? (await authenticate(context, access, next));
    if (refusal) context.res = refusal;
    for (const [name, value] of Object.entries(headers))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    // A rejected request's body may be unread, so the connection cannot be reused.
    if (context.res.status >= 400 && context.req.raw.body) context.res.headers.set("Connection", "close");
    if (!context.res.headers.has("Cache-Control")) context.res.headers.set("Cache-Control", "no-store");
  };
}

type Middleware = Parameters<MiddlewareHandler>;

async function authenticate(
  context: Middleware[0],
  access: Access,
  next: Middleware[1],
): Promise<Response | undefined> {
  const url = new URL(context.req.url);
  const offered = url.searchParams.get("token");
  if (offered !== null && url.pathname === "/" && context.req.method === "GET") {
    if (sameSecret(offered, access.token) || takeCode(access, offered))
      return redirectWithCookie(access, url);
    await access.penalty.wait();
    return unauthorized(context.req.raw);
  }
  const bearer = /^Bearer +(\S+) *$/i.exec(context.req.header("Authorization") ?? "")?.[1];
  const isPage = url.pathname.startsWith(pagePath(access));
  const cookie = isPage ? getCookie(context, cookieName(access)) : undefined;
  const isKnown =
    (bearer !== undefined && sameSecret(bearer, access.token)) ||
    (bearer === undefined && cookie !== undefined && sameSecret(cookie, cookieValue(access)));
  if (!isKnown) {
    if (bearer !== undefined || cookie !== undefined) await access.penalty.wait();
    return unauthorized(context.req.raw);
  }
  await next();
  return undefined;
}

/** Moves the token from the address bar into a cookie that scripts cannot read. */
function redirectWithCookie(access: Access, url: URL): Response {
  url.searchParams.delete("token");
  return new Response(null, {
    status: 303,
    headers: {
      Location: `${pagePath(access)}${url.search}`,
      "Set-Cookie": `${cookieName(access)}=${cookieValue(access)}; Path=${pagePath(access)}; HttpOnly; SameSite=Strict`,
    },
  });
}

/** Rejects requests that another site sends through the person's browser, including by DNS rebinding. */
function rejectForeignRequest({ hosts, port }: Access, request: Request): Response | undefined {
  const own = hosts.flatMap((host) => (port() === 80 ? [host, `${host}:80`] : [`${host}:${port()}`]));
  const host = request.headers.get("Host")?.toLowerCase();
  if (host === undefined || !own.includes(host)) {
    return refuse(
      403,
      "foreign_host",
      "This server does not answer to that host name. Use the printed address.",
    );
  }
  const origin = request.headers.get("Origin")?.toLowerCase();
  if (origin !== undefined && !own.some((name) => origin === `http://${name}`)) {
    return refuse(403, "foreign_origin", "Other sites may not call this server.");
  }
  const site = request.headers.get("Sec-Fetch-Site");
  const isVisit = request.method === "GET" && request.headers.get("Sec-Fetch-Mode") === "navigate";
  if ((site === "cross-site" || site === "same-site") && !isVisit) {
    return refuse(403, "foreign_origin", "Other sites may not call this server.");
  }
  return undefined;
}

/** A browser gets a page with the next step, a program gets JSON. */
function unauthorized(request: Request): Response {
  const isVisit =
    request.method === "GET" &&
    /\btext\/html\b/.test(request.headers.get("Accept") ?? "") &&
    !/\/(?:api|mcp)(?:\/|$)/.test(new URL(request.url).pathname);
  const response = isVisit
    ? new Response(noTokenPage, {
        status: 401,
        headers: {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": headers["Content-Security-Policy"].replace(
            "style-src 'self'",
            `style-src 'sha256-${createHash("sha256").update(noTokenStyle).digest("base64")}'`,
          ),
        },
      })
    : refuse(
        401,
        "no_token",
        "The token is missing or wrong. Open the address that `holdfast serve` printed, or send it as `Authorization: Bearer TOKEN`.",
      );
  response.headers.set("WWW-Authenticate", "Bearer");
  return response;
}

const noTokenStyle =
  ":root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif}body{max-width:34rem;margin:18vh auto;padding:0 1.5rem}code{font-family:ui-monospace,monospace}";

const noTokenPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast: open the printed address</title>
<style>${noTokenStyle}</style>
</head>
<body>
<h1>This address needs its token</h1>
<p>Go to the terminal where <code>holdfast serve</code> runs and open the whole address that it printed, with
<code>?token=</code> at its end. It keeps other users and other sites away from your agent's memory.</p>
<p>If the terminal is closed, run <code>npx holdfast serve</code> in your project again. It opens this page for you.</p>
</body>
</html>
`;

/** Two servers may have the same token, so the name includes the port. */
function cookieName({ port }: Access): string {
  return `holdfast_${port()}`;
}

/** A hash, because the token may contain characters that are invalid in a cookie. */
function cookieValue({ token }: Access): string {
  return createHash("sha256").update(`cookie ${token}`).digest("base64url");
}

function takeCode({ codes }: Access, offered: string): boolean {
  const code = [...codes].find((each) => sameSecret(offered, each));
  return code !== undefined && codes.delete(code);
}

/** Compares in constant time. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Wrong tokens that cost nothing, per minute: a tab of an earlier server tries a few times. */
const free = 20;
const forgottenAfter = 60_000;
const step = 100;
const defaultMax = 2_000;

/** Makes guessing slow: each wrong token waits longer, from any sender. Right tokens never wait. */
export class Penalty {
  readonly #max: number;
  readonly #clock: () => number;
  #failures: number[] = [];

  constructor(max = defaultMax, clock: () => number = Date.now) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Milliseconds that the next wrong token has to wait. */
  next(): number {
    const now = this.#clock();
    this.#failures = this.#failures.filter((at) => now - at < forgottenAfter).slice(-free - this.#max / step);
    this.#failures.push(now);
    return Math.min(this.#max, Math.max(0, this.#failures.length - free) * step);
  }

  async wait(): Promise<void> {
    const delay = this.next();
    if (delay > 0) await new Promise((proceed) => setTimeout(proceed, delay));
  }
}
