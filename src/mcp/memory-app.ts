/** The page that a client of MCP Apps shows in a sandboxed frame. It loads nothing and only talks to its client. */
export const memoryAppPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Memory</title>
<style>
  :root { color-scheme: light dark; }
  body {
    margin: 0;
    padding: 12px 16px;
    font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
    color: var(--color-text-primary, light-dark(#1b1b1b, #ececec));
    background: var(--color-background-primary, light-dark(#ffffff, #1b1b1b));
  }
  header { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }
  h1 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
  h2 { font-size: 0.875rem; margin: 16px 0 4px; color: var(--color-text-secondary, light-dark(#555555, #b0b0b0)); }
  pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 var(--font-mono, ui-monospace, monospace); }
  button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 6px; padding: 2px 10px; cursor: pointer; }
</style>
</head>
<body>
<header><h1>Memory</h1><button type="button" hidden>Refresh</button></header>
<main aria-live="polite"><p>Waiting for the memory…</p></main>
<script>
  const [heading, button, main] = ["h1", "button", "main"].map((name) => document.querySelector(name));
  const waiting = new Map();
  let lastId = 0;

  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function showProblem(text) {
    main.replaceChildren(element("p", text));
  }

  function show({ content = [], structuredContent, isError }) {
    if (isError || !structuredContent) return showProblem(content.map(({ text }) => text ?? "").join("\\n"));
    const { session, sections } = structuredContent;
    heading.textContent = "Memory of " + session;
    if (sections.length === 0) return showProblem("Nothing has been saved in this session yet.");
    main.replaceChildren(
      ...sections.flatMap(({ title, text }) => [element("h2", title), element("pre", text)]),
    );
  }

  function adopt({ theme, styles } = {}) {
    const root = document.documentElement.style;
    if (theme) root.colorScheme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (name.startsWith("--") && value) root.setProperty(name, value);
  }

  const notices = {
    "ui/notifications/tool-result": show,
    "ui/notifications/tool-cancelled": () => showProblem("The call was cancelled."),
    "ui/notifications/host-context-changed": adopt,
  };

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = data;
    if (method === undefined) {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error) reject?.(new Error(error.message));
      else resolve?.(result);
    } else if (id === undefined) notices[method]?.(params);
    else if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
    else send({ id, error: { code: -32601, message: "Method not found" } });
  });

  button.addEventListener("click", () => {
    ask("tools/call", { name: "show_memory", arguments: {} }).then(show, ({ message }) => showProblem(message));
  });

  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.documentElement);

  ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "holdfast-memory", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  }).then(({ hostContext, hostCapabilities }) => {
    adopt(hostContext);
    button.hidden = !hostCapabilities?.serverTools;
    send({ method: "ui/notifications/initialized", params: {} });
  }, ({ message }) => showProblem(message));
</script>
</body>
</html>
`;
