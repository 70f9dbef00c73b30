import { from } from "./requirement.ts";

export const mcp = from("MCP server", {
  "mcp.tools":
    "Every surface's tools are available over stdio and HTTP, with input and output schemas, annotations and matching structured content.",
  "mcp.unknown-outcome":
    "A write that was sent and not answered is reported as possibly applied, with how to find out.",
  "mcp.repeated-calls": "A call that a client sends again under the same id in `_meta` changes nothing.",
  "mcp.names": "Dots in tool names become underscores; both names are accepted.",
  "mcp.errors":
    "A tool's rejection is a result with isError and the next step; an unknown tool, method or parameter is a protocol error.",
  "mcp.frames": "Malformed messages are skipped, split ones are put together, and the server keeps running.",
  "mcp.size": "A message of 20 MB is refused by its tool; a larger one ends the connection cleanly.",
  "mcp.order": "Pipelined writes run in order, and a read sees the writes before it.",
  "mcp.side-by-side": "Reads and sandbox programs run side by side, and nothing waits for them.",
  "mcp.end": "When its input ends, or on SIGTERM, the server closes the store and exits 0.",
  "mcp.instructions": "The instructions are the surfaces' guidance, with how to recover first.",
  "mcp.resources": "Notepad, notes, plan and receipts are resources, of this session and of others.",
  "mcp.chosen": "Resources and prompts show only the chosen memory types.",
  "mcp.own-session":
    "Without hooks each connection has a session of its own; --session shares one, and the prompt recover continues the last conversation of the project.",
  "mcp.notifications":
    "A subscriber is notified of every change, including those by other processes, and of nothing else.",
  "mcp.prompts":
    "The prompts recover and handoff contain what was kept: notepad, plan, tasks, handoff, receipt.",
  "mcp.apps":
    "show_memory is a page in clients that render MCP Apps and text elsewhere; only those clients are offered the tool.",
  "mcp.session":
    "Calls go to the host's current session; when it changes, the client is notified that the resources changed.",
  "mcp.sub-agent": "A call of a sub-agent that the client announces goes to a session of its own.",
  "mcp.conversation": "A client that names its conversation in a call gets that conversation's session.",
  "mcp.modern":
    "A client of protocol 2026-07-28 works without initialize over stdio and HTTP: discovery, the same tools in the same order with a lifetime, and explicit handles for sessions.",
  "mcp.bundle": "A server that is started in its plug-in's folder serves the project of its client.",
  "mcp.own-host":
    "A server never follows the session of another host; without a link its host has a session of its own.",
  "mcp.changing-tools": "When an agent's own tools change, the client is notified.",
  "mcp.missing-store":
    "When the store cannot be opened, the server still starts, each call says what is wrong, and a later call retries; a deleted database is recreated.",
  "mcp.isolation":
    "100 concurrent clients each see only their own session; nobody can use another client's connection.",
  "mcp.conformance":
    "The official conformance suite passes for everything that applies, for 2025-11-25 and for 2026-07-28.",
  "mcp.cost":
    "By default there are at most 8 tools with 650 tokens of definitions, and --cost reports the tokens of each surface.",
  "mcp.surfaces":
    "Surfaces are selected by name; the project's notes are added when there is a NOTES.md; an unknown name is rejected.",
  "mcp.startup": "Starting the server loads no model's SDK.",
  "store.default":
    "The default store is a file of the project in the user's state folder, readable only by its owner; the project stays as it was.",
  "store.location":
    "Every entry point finds the same store for the same flags, environment and config, from every subdirectory.",
});
