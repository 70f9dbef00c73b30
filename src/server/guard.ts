import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { refuse } from "./refusal.ts";

/** Who may come in: those with the token, who call the server by one of its own names. */
export interface Access {
  token: string;
  /** Names and addresses under which the server may be called, without the port. */
  hosts: readonly string[];
  /** Known once the server listens. */
  port: () => number;
  /** Codes that open the page once each: for the command line of a browser, which every user of the machine can see. */
  codes: Set<string>;
}

/** On every answer, refusals too. */
const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Stands before every route: no request gets further without the right names and the token. */
export function guard(access: Access): MiddlewareHandler {
  return async (context, next) => {
    const refusal = findIntruder(access, context.req.raw) ?? (await admit(context, access, next));
    if (refusal) context.res = refusal;
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    // A refusal may leave the body unread, and then nothing else can come over this connection.
    if (context.res.status >= 400 && context.req.raw.body) context.res.headers.set("Connection", "close");
    if (!context.res.headers.has("Cache-Control")) context.res.headers.set("Cache-Control", "no-store");
  };
}

type Middleware = Parameters<MiddlewareHandler>;

async function admit(
  context: Middleware[0],
  access: Access,
  next: Middleware[1],
): Promise<Response | undefined> {
  const url = new URL(context.req.url);
  const offered = url.searchParams.get("token");
  if (offered !== null && url.pathname === "/" && context.req.method === "GET") {
    const isGood = sameSecret(offered, access.token) || takeCode(access, offered);
    return isGood ? letIn(access, url) : noToken();
  }
  const bearer = /^Bearer +(\S+) *$/i.exec(context.req.header("Authorization") ?? "")?.[1];
  const cookie = getCookie(context, cookieName(access));
  const isKnown =
    (bearer !== undefined && sameSecret(bearer, access.token)) ||
    (bearer === undefined && cookie !== undefined && sameSecret(cookie, cookieValue(access)));
  if (!isKnown) return noToken();
  await next();
  return undefined;
}

/** The token leaves the address bar: it goes into a cookie that no script can read. */
function letIn(access: Access, url: URL): Response {
  url.searchParams.delete("token");
  return new Response(null, {
    status: 303,
    headers: {
      Location: `/${url.search}`,
      "Set-Cookie": `${cookieName(access)}=${cookieValue(access)}; Path=/; HttpOnly; SameSite=Strict`,
    },
  });
}

/** A page of another site that tries to reach us through the person's browser, whatever name it calls us by. */
function findIntruder({ hosts, port }: Access, request: Request): Response | undefined {
  const own = hosts.flatMap((host) => (port() === 80 ? [host, `${host}:80`] : [`${host}:${port()}`]));
  const host = request.headers.get("Host")?.toLowerCase();
  if (host === undefined || !own.includes(host)) {
    return refuse(403, "foreign_host", "This server is not called by that name. Use the printed address.");
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

function noToken(): Response {
  const answer = refuse(
    401,
    "no_token",
    "The token is missing or wrong. Open the address that `holdfast serve` printed, or send it as `Authorization: Bearer TOKEN`.",
  );
  answer.headers.set("WWW-Authenticate", "Bearer");
  return answer;
}

/** Cookies are shared by all ports of a host, so each server has a name of its own. */
function cookieName({ port }: Access): string {
  return `holdfast_${port()}`;
}

/** Not the token itself, which may hold characters that a cookie cannot. */
function cookieValue({ token }: Access): string {
  return createHash("sha256").update(`cookie ${token}`).digest("base64url");
}

function takeCode({ codes }: Access, offered: string): boolean {
  const code = [...codes].find((each) => sameSecret(offered, each));
  return code !== undefined && codes.delete(code);
}

/** Takes the same time wherever the two differ. */
function sameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
