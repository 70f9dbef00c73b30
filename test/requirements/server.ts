import { from } from "./requirement.ts";

export const server = from("serve", {
  "serve.guard":
    "Every route and stream refuses a request without the token, with a wrong one, with a foreign Host or with a foreign or null Origin.",
  "serve.token":
    "Each start has a random token of 256 bits; opening the page once moves it into a cookie that scripts cannot read, and it is in no log.",
  "serve.headers":
    "Every answer has a strict content security policy and may not be sniffed, framed, referred to or stored.",
  "serve.address":
    "Binding to another address than loopback needs a flag and a token of at least 16 characters.",
  "serve.sessions":
    "Sessions are listed as a tree, in pages, with status, sizes and whether they are being written.",
  "serve.status": "Sessions are archived, deleted and restored; each answer says how to undo it.",
  "serve.search":
    "The memory and titles of all sessions are searched, in pages, with the same hits in the same order as on the command line.",
  "serve.memory": "A session's memory is shown with stale references marked, open tasks, and budgets.",
  "serve.edit":
    "A person's edit is merged with what others wrote meanwhile; a conflict is answered with both sides and saves nothing.",
  "serve.notes": "A person adds, finds, edits and deletes notes.",
  "serve.journal": "The journal is read newest first, in pages, with actors and line diffs.",
  "serve.past": "The memory of any revision can be seen, and a revision undone.",
  "serve.compactions":
    "Each compaction is shown with its trigger, warning turn, checkpoint, removed messages, summary and receipt.",
  "serve.calls":
    "Each model call is shown with its parts in tokens, the exact pieces it was given, what changed, and money by part.",
  "serve.strings": "Whatever is written comes back as it was, as JSON that no browser takes for a page.",
  "serve.clients": "Clients that work at the same time see nothing of each other's sessions.",
  "serve.refusals":
    "Bad requests are refused with what is wrong, within limits of size and depth, and change nothing.",
  "serve.openapi": "The API describes itself with the schemas that it parses with.",
  "serve.health": "The server says what it shows.",
  "serve.events": "Commits by any process arrive as server-sent events, with who wrote what.",
  "serve.resume":
    "A stream that broke goes on after its last event without loss or repetition, or is told to start anew.",
  "serve.slow": "A client that reads slowly or goes away costs nothing.",
  "serve.stop": "A stop ends open streams, frees the port and the store, and exits with 0.",
  "serve.large":
    "With 1,000 sessions and a session of 100,000 journal entries no route reads everything: each reads in bounded pieces.",
  "serve.command":
    "`holdfast serve` prints the address with its token, and says what is wrong with its options.",
  "serve.port": "Without --port the next free port is taken; with it, a taken port is a clear error.",
  "serve.restart": "A server that was killed comes back on the same store with all that was acknowledged.",
  "serve.demo":
    "With --demo an empty store gets an agent at work beside a finished session; the terminal tells the story too.",
  "serve.page": "The built page is served with its types, compressed, and revalidated.",
  "serve.mcp": "The MCP endpoint stands behind the same guard.",
});
