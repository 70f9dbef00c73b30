/** How a host starts our MCP server, as its config says. */
export interface ConfiguredServer {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** One thing that is put into one file of a host. All texts are whole files; "" is a file that is not there. */
export interface Piece {
  /** What it is, for a person: "MCP server", "hooks", "plugin". */
  what: string;
  path: string;
  /** A folder that the file must not leave through a link. */
  within?: string;
  add(text: string): string;
  /** The text without our part; where `before` had something in its place, with that. */
  remove(text: string, before: string): string;
  /** What is not there as it should be; empty when all is well. */
  missing(text: string): string[];
  /** The server as it is configured. */
  server?(text: string): ConfiguredServer | undefined;
  /** The command line of our hook for each event. */
  hooks?(text: string): Record<string, string>;
  /** The module that a plugin file loads. */
  module?: string;
}
