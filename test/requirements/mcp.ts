import { from } from "./requirement.ts";

export const mcp = from("MCP server", {});
