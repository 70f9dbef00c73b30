/** How a host starts our MCP server, as its config says. */
export interface ConfiguredServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The person has switched it off, so the host does not start it. */
  isOff?: boolean;
}

/** A part of ours that is missing, or that differs from what init would write and may work all the same. */
export interface Gap {
  what: string;
  kind: "missing" | "differs";
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
  /** Whether anything of ours is in the text. */
  isIn(text: string): boolean;
  /** What is not there, or there but not as init would write it. */
  gaps(text: string): Gap[];
  /** The server as it is configured. */
  server?(text: string): ConfiguredServer | undefined;
  /** The command line of our hook for each event. */
  hooks?(text: string): Record<string, string>;
  /** The module that a plugin file loads. */
  module?: string;
}
