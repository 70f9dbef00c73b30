import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { rendersApps } from "./show-memory.ts";

const apps = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const eras: [name: string, options: ClientOptions][] = [
  ["2025-11-25", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
];

async function connect(context: TestContext, url: string, options: ClientOptions): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  context.after(() => client.close());
  return client;
}

/** The fields of a result that its type leaves open. */
// biome-ignore lint/suspicious/noExplicitAny: the test checks what the server returns
const fields = (value: unknown): any => value;

for (const [era, options] of eras)
  test(`a client of ${era} that renders apps shows memory as a page, others as text [mcp.apps]`, async (context) => {
    const { url, memory } = await startMcpEndpoint(context, ["notepad", "notes", "pins"]);
    const rich = await connect(context, url, { ...options, capabilities: apps });
    const plain = await connect(context, url, options);
    const nothing = await rich.callTool({ name: "show_memory", arguments: {} });
    assert.deepEqual(nothing.structuredContent, { session: "default", sections: [] });
    assert.equal((await memory.listSessions()).length, 0, "showing creates no session");

    const session = await memory.openSession("default");
    await session.notepad.write("cedar-4711");
    await session.call("pin", { text: "Never push to main." });
    for (let number = 1; number <= 31; number++) await session.notes.add(`note ${number}`, ["q3"]);

    const tool = (await rich.listTools()).tools.find(({ name }) => name === "show_memory");
    const uri: string = fields(tool?._meta).ui.resourceUri;
    const [page] = (await rich.readResource({ uri })).contents;
    assert.equal(page?.mimeType, "text/html;profile=mcp-app");
    assert.match(fields(page).text, /^<!doctype html>/);
    const shown = await rich.callTool({ name: "show_memory", arguments: {} });
    const { sections } = fields(shown.structuredContent);
    assert.deepEqual(
      sections.map(({ title }: { title: string }) => title),
      ["Pins", "Notepad", "Notes"],
    );
    assert.equal(sections[0].text, "p1: Never push to main.");
    assert.equal(sections[1].text, "cedar-4711");
    assert.match(sections[2].text, /^\S+ \[q3\]: note 31\n/);
    assert.match(sections[2].text, /1 older notes? omitted\. Find it with search_notes\.$/);

    const { tools } = await plain.listTools();
    assert.ok(!tools.some(({ name }) => name === "show_memory"), "it costs other clients no tokens");
    const text = fields(await plain.callTool({ name: "show_memory", arguments: {} })).content[0].text;
    assert.match(text, /^## Pins\n\np1: Never push to main\.\n\n## Notepad\n\ncedar-4711\n\n## Notes\n\n/);
    const prompt = fields(await plain.getPrompt({ name: "show_memory" })).messages[0].content.text;
    assert.match(prompt, /## Notepad\n\ncedar-4711\n/);
  });

test("the page is offered only for the content type that a client renders [mcp.apps]", () => {
  assert.equal(rendersApps(apps), true);
  const other = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/uri-list"] } } };
  for (const value of [undefined, {}, { extensions: {} }, other]) assert.equal(rendersApps(value), false);
});

test("the shown memory contains no secret [mcp.apps]", async (context) => {
  const store = `sqlite:${join(temporaryDirectory(), "memory.db")}`;
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  const careless = await openMemory({ store, secrets: "allow" });
  await (await careless.openSession("default")).notepad.write(`the token is ${token}`);
  await careless.close();
  const { url } = await startMcpEndpoint(context, ["notepad"], store);
  const client = await connect(context, url, {});
  const shown = JSON.stringify(await client.callTool({ name: "show_memory", arguments: {} }));
  assert.match(shown, /the token is/);
  assert.ok(!shown.includes(token));
});
