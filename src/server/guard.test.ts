import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { Hono } from "hono";
import { rejection } from "../../test/support/memory.ts";
import { startTestServer } from "../../test/support/server.ts";
import { createApp } from "./app.ts";
import { Penalty } from "./guard.ts";
import { chooseAccess, listen } from "./listen.ts";

const token = "a-token-of-the-test-0123456789";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends arbitrary headers; fetch does not allow a forged Host. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      // An admitted stream never ends, so its status is enough.
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream");
      if (isStream) sent.destroy();
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    sent.on("error", (error) => (sent.destroyed ? undefined : reject(error)));
    sent.end();
  });
}

type RouteTable = Pick<Hono, "routes">;

/** One request per route and method of the app. */
function requestsOf({ routes }: RouteTable): [method: string, path: string][] {
  const requests = routes.flatMap(({ method, path }): [string, string][] => {
    const concrete = path.replaceAll(/:\w+/g, "x").replaceAll("*", "x");
    return (method === "ALL" ? ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] : [method]).map(
      (each) => [each, concrete],
    );
  });
  return [...new Map(requests.map((each) => [each.join(" "), each])).values()];
}

/** The requests that get through but must not. */
async function findLeaks(app: RouteTable, port: number): Promise<string[]> {
  const own = `127.0.0.1:${port}`;
  const right = { Authorization: `Bearer ${token}` };
  const attempts: [string, Record<string, string>, number][] = [
    ["no token", {}, 401],
    ["a wrong token", { Authorization: `Bearer ${token.slice(0, -1)}x` }, 401],
    ["an empty token", { Authorization: "Bearer " }, 401],
    ["a wrong cookie", { Cookie: `holdfast_${port}=${token}` }, 401],
    ["a foreign Host", { ...right, Host: "evil.example" }, 403],
    ["a foreign Host with our port", { ...right, Host: `evil.example:${port}` }, 403],
    ["our host with another port", { ...right, Host: `127.0.0.1:${port + 1}` }, 403],
    ["a foreign Origin", { ...right, Host: own, Origin: "http://evil.example" }, 403],
    ["an Origin on another port", { ...right, Host: own, Origin: "http://127.0.0.1:1" }, 403],
    ["a null Origin", { ...right, Host: own, Origin: "null" }, 403],
    [
      "a page of another site",
      { ...right, Host: own, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" },
      403,
    ],
  ];
  const leaks: string[] = [];
  for (const [method, path] of requestsOf(app)) {
    for (const [name, headers, status] of attempts) {
      const answer = await ask(port, method, path, headers);
      if (answer.status !== status) leaks.push(`${method} ${path} with ${name}: ${answer.status}`);
    }
  }
  return leaks;
}

test("every route rejects a missing or wrong token and a foreign Host or Origin [serve.guard]", async (context) => {
  let app: RouteTable | undefined;
  const { server } = await startTestServer(context, { token, maxPenalty: 0, onApp: (made) => (app = made) });
  assert.ok(app);
  const requests = requestsOf(app);
  assert.ok(requests.length >= 20, `${requests.length} requests`);
  for (const path of ["/api/events", "/openapi.json", "/mcp", "/x", "/api/sessions"])
    assert.ok(
      requests.some(([, each]) => each === path),
      path,
    );
  assert.deepEqual(await findLeaks(app, server.port), []);
});

test("the check finds a route in front of the guard [serve.guard]", async (context) => {
  const leaky = new Hono();
  const { close, access } = await listen({ port: 0, token, maxPenalty: 0 }, (admitted) => {
    const parts = { access: admitted, handlers: {}, hub: {}, version: "1", page: new Map(), log: () => {} };
    leaky.get("/api/leak", (each) => each.text("secret"));
    leaky.route("/", createApp(parts as unknown as Parameters<typeof createApp>[0]));
    return leaky;
  });
  context.after(close);
  const leaks = await findLeaks(leaky, access.port());
  assert.ok(leaks.length > 0);
  assert.deepEqual(
    leaks.filter((leak) => !leak.startsWith("GET /api/leak ")),
    [],
  );
});

test("opening the page moves the token from the address into a cookie that scripts cannot read and other ports do not get [serve.token] [serve.cookie-path]", async (context) => {
  const { server } = await startTestServer(context, { token });
  const { port } = server;
  const opened = await ask(port, "GET", `/?token=${token}&view=1`);
  assert.equal(opened.status, 303);
  const [, page = ""] = /^(\/[\w-]{22}\/)\?view=1$/.exec(opened.headers.location as string) ?? [];
  assert.notEqual(page, "");
  assert.ok(!page.includes(token.slice(0, 8)), "the path does not contain the token");
  const [cookie = ""] = opened.headers["set-cookie"] ?? [];
  // A browser sends it to another port only below a path that nobody else knows.
  assert.match(cookie, /^holdfast_\d+=[\w-]+; Path=\/[\w-]{22}\/; HttpOnly; SameSite=Strict$/);
  assert.ok(cookie.includes(`Path=${page};`));
  assert.ok(!cookie.includes(token), "the cookie is not the token");
  const Cookie = cookie.split(";")[0] ?? "";
  assert.equal((await ask(port, "GET", `${page}api/health`, { Cookie })).status, 200);
  assert.equal((await ask(port, "GET", `${page}api/health`, { Cookie, Origin: "null" })).status, 403);
  assert.equal(
    (await ask(port, "GET", `${page}api/health`, { Cookie, Authorization: "Bearer wrong" })).status,
    401,
  );
  assert.equal((await ask(port, "GET", "/api/health", { Cookie })).status, 401, "only below the page's path");
  assert.equal((await ask(port, "GET", `${page}api/health`)).status, 401, "the path alone opens nothing");
  assert.equal((await ask(port, "GET", `/?token=${token}x`)).status, 401);
  // A token in any other address is ignored: addresses end up in histories and logs.
  assert.equal((await ask(port, "GET", `/api/health?token=${token}`)).status, 401);
  for (const Host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`])
    assert.equal(
      (await ask(port, "GET", `${page}api/health`, { Cookie, Host, Origin: `http://${Host}` })).status,
      200,
      Host,
    );
});

test("an invitation opens the page once and does not contain the token [serve.token]", async (context) => {
  const { server } = await startTestServer(context);
  const { pathname, search } = new URL(server.invite());
  assert.ok(!search.includes(server.token));
  assert.equal((await ask(server.port, "GET", pathname + search)).status, 303);
  assert.equal((await ask(server.port, "GET", pathname + search)).status, 401);
});

test("each start creates a new 256-bit token [serve.token]", async (context) => {
  const [first, second] = [await startTestServer(context), await startTestServer(context)];
  assert.notEqual(first.server.token, second.server.token);
  assert.equal(Buffer.from(first.server.token, "base64url").length, 32);
});

test("every response has a strict content policy and forbids sniffing, framing, referrers and caching [serve.headers]", async (context) => {
  const { server } = await startTestServer(context, { token });
  const right = { Authorization: `Bearer ${token}` };
  for (const [path, headers] of [
    ["/api/health", right],
    ["/api/health", {}],
    ["/nothing", right],
    ["/openapi.json", right],
  ] as const) {
    const answer = await ask(server.port, "GET", path, headers);
    const policy = String(answer.headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.ok(!/unsafe|https?:|\*|data:/.test(policy), policy);
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    assert.equal(answer.headers["referrer-policy"], "no-referrer");
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
});

test("any address other than loopback requires a token from the user [serve.address]", async () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.org"]) {
    const { message } = await rejection((async () => chooseAccess({ host }))(), "invalid_input");
    assert.match(message, /--token-file FILE or set HOLDFAST_TOKEN, with at least 16 characters/);
    assert.equal(chooseAccess({ host, token }).token, token);
  }
  await rejection((async () => chooseAccess({ token: "fifteen-letters" }))(), "invalid_input");
  await rejection((async () => chooseAccess({ token: "with a space in it" }))(), "invalid_input");
  assert.ok(chooseAccess({ host: "192.168.1.5", token }).hosts.includes("192.168.1.5"));
  assert.ok(!chooseAccess({}).hosts.includes("192.168.1.5"));
});

test("the token never appears in the log, whatever fails [serve.token]", async (context) => {
  const project = { exists: async () => true, read: () => Promise.reject(new Error("no such luck")) };
  const { server, log } = await startTestServer(context, { token, project });
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await ask(server.port, "GET", `/api/project?token=${token}`, headers);
  assert.equal(answer.status, 500);
  assert.ok(!answer.body.includes("no such luck"), "internal errors are not exposed to the caller");
  await ask(server.port, "GET", `/?token=${token}`, {});
  await ask(server.port, "GET", `/%ff?token=${token}`, headers);
  assert.match(log.join("\n"), /no such luck/);
  assert.ok(!log.join("\n").includes(token), log.join("\n"));
});

test("wrong tokens wait longer and longer, and right ones never do [serve.slow-guessing]", async (context) => {
  let now = 0;
  const penalty = new Penalty(2_000, () => now);
  const delays = Array.from({ length: 60 }, () => penalty.next());
  assert.deepEqual(delays.slice(0, 22), [...Array(20).fill(0), 100, 200]);
  assert.equal(delays.at(-1), 2_000);
  now = 120_000;
  assert.equal(penalty.next(), 0, "it is forgotten after a while");
  const { server } = await startTestServer(context, { token, maxPenalty: 400 });
  const guess = () => ask(server.port, "GET", "/api/health", { Authorization: "Bearer guessed-and-wrong" });
  for (let round = 0; round < 24; round++) assert.equal((await guess()).status, 401);
  const begun = performance.now();
  const slow = guess();
  const right = await ask(server.port, "GET", "/api/health", { Authorization: `Bearer ${token}` });
  assert.equal(right.status, 200);
  const quick = performance.now() - begun;
  await slow;
  assert.ok(performance.now() - begun >= 390);
  assert.ok(quick < performance.now() - begun, "a right token waited");
});
