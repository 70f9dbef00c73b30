import { from } from "./requirement.ts";

export const server = from("serve", {
  "serve.guard":
    "Every route and stream rejects a request without the token, with a wrong token, with a foreign Host or with a foreign or null Origin.",
  "serve.cookie-path": "The page's cookie is not sent to other ports of the host.",
  "serve.slow-guessing": "Wrong tokens wait longer and longer; right ones never do.",
  "serve.token-file":
    "The token can come from a file or the environment, so that it is not on the command line.",
  "serve.no-password": "Nothing that a command prints contains the store's password.",
  "serve.kept-token":
    "A store's token stays the same, in a file that only the user can read, so that an open page reconnects after a restart.",
  "serve.token":
    "Each start creates a random 256-bit token; opening the page once moves it into a cookie that scripts cannot read, and it never appears in a log.",
  "serve.headers":
    "Every response has a strict content security policy and forbids sniffing, framing, referrers and caching.",
  "serve.address":
    "Binding to any address other than loopback requires a flag and a token of at least 16 characters.",
  "serve.no-token": "A browser without the token gets a page with the next step, a program gets JSON.",
  "serve.sessions":
    "The server lists sessions in pages, with state, window, plan, last compaction and what needs a person.",
  "serve.status": "Sessions are archived, deleted and restored; each response says how to undo it.",
  "serve.search":
    "The search covers the memory and titles of all sessions, in pages, with the same hits in the same order as the CLI.",
  "serve.memory":
    "The server returns a session's memory with authors, stale references, open tasks and limits.",
  "serve.edit":
    "A person's edit is merged with concurrent changes; a conflict returns both sides and saves nothing.",
  "serve.notes": "A person adds, finds, edits and deletes notes.",
  "serve.journal": "The history is returned newest first, in pages, with actors and line diffs.",
  "serve.past": "The memory at any revision can be read, and a revision undone.",
  "serve.compactions":
    "Each compaction is returned with its facts, its warning turn, and the handoff and summary as the model got them.",
  "serve.calls":
    "Each model call is returned with one size, parts and exact pieces that add up to it, and what changed.",
  "serve.strings": "Every string comes back unchanged, as JSON that no browser renders as a page.",
  "serve.clients": "Concurrent clients do not affect each other's sessions.",
  "serve.refusals":
    "Invalid requests are rejected with the reason, within limits of size and depth, and change nothing.",
  "serve.openapi": "The API describes itself with the schemas that it parses with.",
  "serve.health": "Health reports the version, the store and the project.",
  "serve.events":
    "Commits by any process arrive as server-sent events, with author, operation, the changes of texts, and the session as a list has it.",
  "serve.resume":
    "A reconnected stream continues after its last event without loss or repetition, or gets a reset.",
  "serve.slow": "A client that reads slowly or disconnects costs nothing.",
  "serve.stop": "Stopping ends open streams, frees the port and the store, and exits with 0.",
  "serve.large":
    "With 1,000 sessions and a session of 100,000 journal entries, every route reads in bounded batches.",
  "serve.command": "`holdfast serve` prints the address with its token, and reports invalid options.",
  "serve.port": "Without --port the server uses the next free port; with it, a port in use is a clear error.",
  "serve.restart": "A killed server restarts on the same store with everything acknowledged.",
  "serve.demo":
    "With --demo an empty store gets an agent at work, and the address opens its session; the terminal tells the story too.",
  "serve.page": "The built page is served with its types, compressed, and revalidated.",
  "serve.mcp": "The MCP endpoint is behind the same guard.",
});
