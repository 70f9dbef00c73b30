import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryAppPage } from "../../src/mcp/memory-app.ts";
import { inBrowser } from "./support/browser.ts";

/** A client of MCP Apps: it shows the page in a sandboxed frame, under the policy that the specification demands. */
function clientPage(): string {
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";
  const framed = memoryAppPage.replace(
    "<head>",
    `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
  return `<iframe sandbox="allow-scripts" srcdoc="${framed.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>
<script>
  const frame = document.querySelector("iframe").contentWindow;
  window.received = [];
  window.tell = (message) => frame.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const memory = (text) => ({
    content: [{ type: "text", text }],
    structuredContent: { session: "audit", sections: [{ title: "Notepad", text }] },
  });
  addEventListener("message", ({ data }) => {
    received.push(data);
    if (data.method === "ui/initialize")
      tell({ id: data.id, result: {
        protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" },
        hostCapabilities: { serverTools: {} },
        hostContext: { theme: "dark", styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" } } },
      } });
    if (data.method === "ui/notifications/initialized")
      tell({ method: "ui/notifications/tool-result", params: memory("<img src=x onerror=alert(1)> cedar-4711") });
    if (data.method === "tools/call") tell({ id: data.id, result: memory("after the refresh: " + data.params.name) });
  });
</script>`;
}

test(
  "the page of show_memory follows its client: handshake, theme, memory, refresh, end [mcp.apps]",
  inBrowser(async (browser) => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => void dialog.dismiss().then(() => problems.push(dialog.message())));
    await page.setContent(clientPage());
    const frame = page.frameLocator("iframe");
    await frame.getByText("<img src=x onerror=alert(1)> cedar-4711").waitFor();
    assert.equal(await frame.getByRole("heading", { level: 1 }).textContent(), "Memory of audit");
    const colour = await frame.locator("body").evaluate("getComputedStyle(document.body).color");
    assert.equal(colour, "rgb(1, 2, 3)");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await frame.getByText("after the refresh: show_memory").waitFor();
    const answer = await page.evaluate(`new Promise((resolve) => {
      addEventListener("message", ({ data }) => data.id === 99 && resolve(data.result));
      tell({ id: 99, method: "ui/resource-teardown", params: { reason: "test" } });
    })`);
    assert.deepEqual(answer, {});
    const methods = await page.evaluate<string[]>("received.map(({ method }) => method ?? '')");
    assert.deepEqual(
      methods.filter((method) => method.startsWith("ui/") && !method.endsWith("size-changed")),
      ["ui/initialize", "ui/notifications/initialized"],
    );
    assert.ok(methods.includes("ui/notifications/size-changed"));
    assert.deepEqual(problems, []);
    await page.close();
  }),
);
