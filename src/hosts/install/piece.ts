/** How a host starts our MCP server, according to its config. */
export interface ConfiguredServer {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The user disabled it, so the host does not start it. */
  isOff?: boolean;
}

/** A part of ours that is missing, that differs from what init would write but may still work, or a choice to know of. */
export interface Gap {
  /** For a choice: a sentence, without its subject, which is the file. */
  what: string;
  kind: "missing" | "differs" | "choice";
}

/** A config file, and the folder that links must not lead it out of. */
export type FileLocation = Pick<Piece, "path" | "within">;

/** One thing that init adds to one file of a host. All texts are whole files; "" is a missing file. */
export interface Piece {
  /** Its name in messages: "MCP server", "hooks", "plugin". */
  what: string;
  path: string;
  /** The folder that links must not lead the file out of. */
  within?: string;
  add(text: string): string;
  /** The text without our part, and with what `before` had there. */
  remove(text: string, before: string): string;
  /** Whether anything of ours is in the text. */
  isIn(text: string): boolean;
  /** The parts that are missing, or that differ from those of init. */
  gaps(text: string): Gap[];
  /** The server as it is configured. */
  server?(text: string): ConfiguredServer | undefined;
  /** The command line of our hook for each event. */
  hooks?(text: string): Record<string, string>;
  /** The module that a plugin file loads. */
  module?: string;
}
