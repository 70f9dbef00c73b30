import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runNode } from "../../test/support/command-line.ts";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

const needsTool = "calls a tool of the suite's own example server";
const needsPrompt = "asks for a prompt of the suite's own example server";
const needsResource = "reads a resource of the suite's own example server";

/** Scenarios that need the suite's example server. If one passes after all, remove it from this list. */
const notApplicable: Record<string, string> = {
  "logging-set-level": "the server sends no log messages, so it does not offer logging",
  "completion-complete": needsPrompt,
  "tools-call-simple-text": needsTool,
  "tools-call-image": needsTool,
  "tools-call-audio": needsTool,
  "tools-call-embedded-resource": needsTool,
  "tools-call-mixed-content": needsTool,
  "tools-call-with-logging": needsTool,
  "tools-call-error": needsTool,
  "tools-call-with-progress": needsTool,
  "tools-call-sampling": needsTool,
  "tools-call-elicitation": needsTool,
  "json-schema-2020-12": needsTool,
  "elicitation-sep1034-defaults": needsTool,
  "elicitation-sep1330-enums": needsTool,
  "resources-read-text": needsResource,
  "resources-read-binary": needsResource,
  "resources-templates-read": needsResource,
  "resources-subscribe": needsResource,
  "resources-unsubscribe": needsResource,
  "prompts-get-simple": needsPrompt,
  "prompts-get-with-args": needsPrompt,
  "prompts-get-embedded-resource": needsPrompt,
  "prompts-get-with-image": needsPrompt,
};

test("the official conformance suite passes for everything that applies [mcp.conformance]", async (context) => {
  const { url } = await startMcpEndpoint(context, ["notepad", "notes"]);
  const results = temporaryDirectory();
  const { stdout, stderr } = await runNode([
    suite,
    "server",
    "--url",
    url,
    "--suite",
    "all",
    "--output-dir",
    results,
  ]);
  const lines = [...stdout.matchAll(/^(✓|✗) ([\w-]+): \d+ passed, \d+ failed$/gm)];
  const outcomes = new Map(lines.map(([, sign, name = ""]) => [name, sign === "✓"]));
  assert.ok(outcomes.size > 30, `${stdout}\n${stderr}`);
  const failed = [...outcomes].filter(([, passed]) => !passed).map(([name]) => name);
  assert.deepEqual(failed.sort(), Object.keys(notApplicable).sort());
  for (const name of [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ])
    assert.equal(outcomes.get(name), true, name);
});
