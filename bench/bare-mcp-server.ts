import { DatabaseSync } from "node:sqlite";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** The least an MCP server can do durably: one tool that updates one row. */
const database = new DatabaseSync(process.argv[2] ?? "");
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (text TEXT)");
database.exec("INSERT INTO bare VALUES ('')");
const update = database.prepare("UPDATE bare SET text = ?");

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  server.registerTool(
    "write",
    { description: "Write a text.", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => {
      update.run(text);
      return { content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } };
    },
  );
  return server;
});
