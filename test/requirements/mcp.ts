import { from } from "./requirement.ts";

export const mcp = from("MCP server", {
  "mcp.tools":
    "Every surface's tools are offered over stdio and HTTP with input and output schemas, annotations and structured content that fits.",
  "mcp.names": "Dots in tool names become underscores; both names are accepted.",
  "mcp.errors":
    "A tool's refusal is a result with isError and the next step; an unknown tool, method or parameter is a protocol error.",
  "mcp.frames":
    "Malformed, split, batched and nameless messages are answered as JSON-RPC says, and the server lives on.",
  "mcp.size": "A message of 20 MB is refused under its id and the server lives on.",
  "mcp.order":
    "Calls that were sent without waiting are worked on in their order, and answered before the end.",
  "mcp.end": "When its input ends, or on SIGTERM, the server closes the store and exits 0.",
  "mcp.instructions": "The instructions are the surfaces' guidance, with how to recover first.",
  "mcp.resources": "Notepad, notes, plan and receipts of a session are resources, also of other sessions.",
  "mcp.notifications": "A subscriber hears of changes by anybody, another process too, and of nothing else.",
  "mcp.prompts":
    "The prompts recover and handoff hold what was kept: notepad, plan, tasks, checkpoint, receipt.",
  "mcp.session":
    "Calls go to the session that the host is in now; when it changes the client is told that the resources did.",
  "mcp.changing-tools": "When an agent's own tools change, the client is told.",
  "mcp.missing-store":
    "Where the store cannot be opened the server starts all the same, each call says what is wrong, and a later call tries again; a deleted database is made anew.",
  "mcp.isolation":
    "A hundred clients at once each see their own session; another's connection cannot be used.",
  "mcp.conformance": "The official conformance suite passes for everything that applies.",
  "mcp.cost":
    "The tool definitions of notepad and notes take at most 1,500 tokens, and --cost says what each surface takes.",
  "mcp.surfaces":
    "Surfaces are chosen by name; the project's notes join where there is a NOTES.md; an unknown name is refused.",
  "mcp.startup": "Starting the server loads neither the exact tokenizer nor a model's SDK.",
  "store.default":
    "Unless told otherwise the store is .holdfast/memory.db in the project's root, for its owner only and out of Git's sight.",
  "store.location":
    "Every entry point finds the same store for the same flags, environment and config, from every subdirectory.",
});
