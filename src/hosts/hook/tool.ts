/** The tool of our MCP server that hooks call. It is not listed, so no agent sees it. */
export const hookTool = "hook";
