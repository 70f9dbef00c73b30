import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runNode } from "../../test/support/command-line.ts";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

const needsTool = "calls a tool of the suite's own example server";
const needsPrompt = "asks for a prompt of the suite's own example server";
const needsResource = "reads a resource of the suite's own example server";

const needsInput = "calls a tool of the suite's own example server that asks the client for input";

/** The checks that fail in both revisions because they need the suite's example server. If one passes after all, remove it here. */
const notApplicable: Record<string, string> = {
  "completion-complete": needsPrompt,
  "tools-call-simple-text": needsTool,
  "tools-call-image": needsTool,
  "tools-call-audio": needsTool,
  "tools-call-embedded-resource": needsTool,
  "tools-call-mixed-content": needsTool,
  "tools-call-error": needsTool,
  "tools-call-with-progress": needsTool,
  "json-schema-2020-12-tool-found": needsTool,
  "resources-read-text": needsResource,
  "resources-read-binary": needsResource,
  "resources-templates-read": needsResource,
  "prompts-get-simple": needsPrompt,
  "prompts-get-with-args": needsPrompt,
  "prompts-get-embedded-resource": needsPrompt,
  "prompts-get-with-image": needsPrompt,
};

const before2026: Record<string, string> = {
  "logging-set-level": "the server sends no log messages, so it does not offer logging",
  "tools-call-with-logging": needsTool,
  "tools-call-sampling": needsTool,
  "tools-call-elicitation": needsTool,
  "elicitation-sep1034-general": needsTool,
  "elicitation-sep1330-general": needsTool,
  "resources-subscribe": needsResource,
  "resources-unsubscribe": needsResource,
};

const since2026: Record<string, string> = {
  "sep-2243-server-no-xmcp-tool": "no tool takes a parameter from a header",
  "sep-2243-server-decode-base64": "no tool takes a parameter from a header",
  "sep-2243-server-validate-param-match": "no tool takes a parameter from a header",
  "sep-2243-server-reject-invalid-param-chars": "no tool takes a parameter from a header",
  "sep-2243-server-reject-param-mismatch": "no tool takes a parameter from a header",
  "sep-2322-elicitation-incomplete": needsInput,
  "sep-2322-list-roots-incomplete": needsInput,
  "sep-2322-sampling-incomplete": needsInput,
  "sep-2322-respect-client-capabilities": needsInput,
  "sep-2322-multi-round-r1": needsInput,
  "sep-2322-multiple-inputs-incomplete": needsInput,
  "sep-2322-non-tool-incomplete": needsInput,
  "sep-2322-request-state-incomplete": needsInput,
  "sep-2322-result-type-included": needsInput,
  "sep-2322-reject-tampered-state": needsInput,
  "sep-2575-server-rejects-undeclared-capability": needsTool,
  "sep-2575-missing-capability-http-400": needsTool,
  "sep-2575-http-server-no-independent-requests-on-stream": needsTool,
  "sep-2575-server-no-log-without-loglevel": needsTool,
};

interface Check {
  id: string;
  status: string;
}

/** Runs every scenario of a revision, and returns each check that it made. */
async function runSuite(context: TestContext, revision: string): Promise<Check[]> {
  const { url } = await startMcpEndpoint(context, ["notepad", "notes"]);
  const results = temporaryDirectory();
  const options = ["--url", url, "--spec-version", revision, "--suite", "all", "--output-dir", results];
  await runNode([suite, "server", ...options]);
  return readdirSync(results).flatMap(
    (scenario) => JSON.parse(readFileSync(join(results, scenario, "checks.json"), "utf8")) as Check[],
  );
}

const both = [
  "tools-list",
  "resources-list",
  "prompts-list",
  "localhost-host-rebinding-rejected",
  "server-accepts-multiple-post-streams",
];

const revisions: [revision: string, exceptions: Record<string, string>, mustPass: string[]][] = [
  ["2025-11-25", before2026, [...both, "server-initialize", "server-session-terminated-returns-404", "ping"]],
  [
    "2026-07-28",
    since2026,
    [
      ...both,
      "sep-2575-server-implements-discover",
      "sep-2575-http-server-method-not-found-404-initialize",
      "sep-2549-tools-list-caching-hints",
      "tools-list-deterministic-order",
    ],
  ],
];

for (const [revision, exceptions, mustPass] of revisions)
  test(`the official conformance suite passes for ${revision}, for everything that applies [mcp.conformance]`, async (context) => {
    const checks = await runSuite(context, revision);
    const idsOf = (status: string) => checks.filter((each) => each.status === status).map(({ id }) => id);
    const expected = Object.keys({ ...notApplicable, ...exceptions });
    assert.deepEqual([...new Set(idsOf("FAILURE"))].sort(), expected.sort());
    const passed = new Set(idsOf("SUCCESS"));
    for (const id of mustPass) assert.ok(passed.has(id), id);
  });
