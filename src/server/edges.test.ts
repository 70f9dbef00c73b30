import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startServe } from "../../test/support/serve-process.ts";
import { call, refused, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { readPage } from "./page.ts";
import { projectNotes } from "./project-files.ts";

test("serves the page's files with their types, compressed, and resends only changed ones [serve.page]", async (context) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "assets"));
  writeFileSync(join(directory, "index.html"), "<!doctype html><title>x</title>");
  const script = `console.log("${"long ".repeat(500)}");`;
  writeFileSync(join(directory, "assets/app.js"), script);
  writeFileSync(join(directory, "secret.key"), "not for everyone");
  const { server } = await startTestServer(context, { page: await readPage(directory) });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, server.url), { headers: { Authorization: `Bearer ${server.token}`, ...headers } });
  const document = await get("/");
  assert.equal(document.headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.match(await document.text(), /^<!doctype html>/);
  const plain = await get("/assets/app.js", { "Accept-Encoding": "identity" });
  assert.equal(await plain.text(), script);
  const zipped = await get("/assets/app.js", { "Accept-Encoding": "gzip" });
  assert.equal(zipped.headers.get("Content-Encoding"), "gzip");
  assert.equal(await zipped.text(), script);
  const etag = zipped.headers.get("ETag") ?? "";
  assert.equal((await get("/assets/app.js", { "If-None-Match": etag })).status, 304);
  for (const path of [
    "/secret.key",
    "/assets/../secret.key",
    "/%2e%2e/package.json",
    "/assets",
    "/nothing.js",
  ])
    assert.equal((await get(path)).status, 404, path);
  const file = (await readPage(directory)).get("/assets/app.js");
  assert.ok(file?.zipped && gunzipSync(file.zipped).toString() === script);
});

test("returns a project's NOTES.md with the linter's findings [serve.memory]", async (context) => {
  const root = temporaryDirectory();
  const { server } = await startTestServer(context, { project: projectNotes(root) });
  await refused(server, "project", {}, 404);
  assert.equal((await call(server, "health")).project, false);
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(root, "grimoires/loa/NOTES.md"), "# Notes\n<<<<<<< mine\n");
  const notes = await call(server, "project");
  assert.deepEqual([notes.path, notes.text], ["grimoires/loa/NOTES.md", "# Notes\n<<<<<<< mine\n"]);
  const marker = notes.findings.find(({ rule }) => rule === "readable");
  assert.equal(marker?.line, 2);
  assert.equal((await call(server, "health")).project, true);
});

test("an MCP client with the token works on the session it names; without the token it is rejected [serve.mcp]", async (context) => {
  const directory = temporaryDirectory();
  const server = await startServe(context, ["--store", join(directory, "memory.db")], directory);
  const connect = async (headers: Record<string, string>, path = "/mcp?session=named") => {
    const client = new Client({ name: "test", version: "1" });
    const url = new URL(path, server.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  };
  await assert.rejects(connect({}));
  await assert.rejects(connect({ Authorization: `Bearer ${server.token}`, Origin: "http://evil.example" }));
  const client = await connect({ Authorization: `Bearer ${server.token}` });
  await client.callTool({ name: "write_notepad", arguments: { content: "over MCP" } });
  const shown = await call(server, "session", { params: { id: "named" } });
  assert.equal(shown.notepad.text, "over MCP");
  const unnamed = await Promise.all(
    [1, 2].map(() => connect({ Authorization: `Bearer ${server.token}` }, "/mcp")),
  );
  await unnamed[0]?.callTool({ name: "write_notepad", arguments: { content: "of the first" } });
  const read = await unnamed[1]?.callTool({ name: "read_notepad", arguments: {} });
  assert.deepEqual(read?.structuredContent, { content: "" }, "a client that names none has its own");
  server.process.kill("SIGTERM");
  assert.deepEqual(await server.ended, { code: 0, signal: null });
  for (const each of [client, ...unnamed]) await each.close();
});

test("100 concurrent clients, each on its own session, do not affect each other [serve.clients]", async (context) => {
  const { server, memory } = await startTestServer(context);
  const ids = Array.from({ length: 100 }, (_, number) => `client-${number}`);
  for (const id of ids) await memory.createSession({ id });
  await Promise.all(
    ids.map(async (id) => {
      for (const step of ["one", "two", "three"]) {
        const { notepad } = await call(server, "session", { params: { id } });
        const text = `${notepad.text}${id} ${step}\n`;
        const body = { type: "text" as const, name: "notepad" as const, base: notepad.text, text };
        await call(server, "edit", { params: { id }, body });
        await call(server, "edit", { params: { id }, body: { type: "note.add", content: `${id} ${step}` } });
      }
    }),
  );
  for (const id of ids) {
    const { notepad } = await call(server, "session", { params: { id } });
    assert.equal(notepad.text, `${id} one\n${id} two\n${id} three\n`);
    const { notes } = await call(server, "notes", { params: { id } });
    assert.deepEqual(
      notes.map(({ content }) => content),
      [`${id} three`, `${id} two`, `${id} one`],
    );
  }
});
