import type { Finding } from "./doctor/finding.ts";
import type { ProgramRun } from "./doctor/run-program.ts";
import type { Launcher } from "./install/launcher.ts";
import type { ConfiguredServer, Piece } from "./install/piece.ts";
import type { Places } from "./install/places.ts";

/** What init, uninstall and doctor know about a host. */
export interface HostSetup {
  /** The folder in which it keeps what applies to all projects of a person; if it exists, the host is installed. */
  userFolder(places: Places): string;
  /** Files and folders that show that a project is worked on with this host. */
  projectFiles: readonly string[];
  /** It has one config for all projects, whichever scope was asked for. */
  hasOneConfig?: boolean;
  pieces(places: Places, launcher: Launcher): Piece[];
  /** What the person has to do before it works. */
  next?(places: Places): string | undefined;
  /** Whether it, in this version, runs what it was given. Default: it asks nobody. */
  checkTrust?(places: Places, version: string): Promise<Finding[]> | Finding[];
  hook?: HookCheck;
  plugin?: PluginCheck;
  live: LiveClient;
}

/** How doctor tries the hook that a host runs. */
export interface HookCheck {
  /** The event that begins a session, under the host's name for it. */
  startEvent: string;
  /** The hook's command line, if no config contains it and a plugin derives it from the server's. */
  lineBeside?(server: ConfiguredServer): string;
}

/** How doctor tries the module that a host loads. */
export interface PluginCheck {
  /** Default: the file that init writes. */
  file?: string;
  /** What to do if the file is missing. Default: run init again. */
  remedy?: string;
  /**
   * The body of a script that writes `content` to the notepad of session `id` in the folder `cwd` through `plugin`,
   * as the host would, and prints what the plugin adds to a request. Default: the plugin is only loaded.
   */
  script?: string;
}

/** A conversation with a model on this machine. */
export interface LiveTalk {
  /** The model's address, without a path. */
  url: string;
  /** For files of the client; removed afterwards. */
  folder: string;
  prompt: string;
}

/** How the client is run without its screen, against a model on this machine. */
export interface LiveClient {
  /** Why it cannot be run against such a model here. */
  obstacle?(places: Places): string | undefined;
  /** Writes what the client has to find before it starts. */
  prepare?(talk: LiveTalk, places: Places): void;
  env(talk: LiveTalk): Record<string, string>;
  /** The arguments that begin a conversation. */
  first(talk: LiveTalk): string[];
  /** The arguments that continue it. */
  again(talk: LiveTalk): string[];
  /** The host's name of that conversation, where no hook reports it. */
  session?(folder: string): string | undefined;
  /** What it says about a Node that is too old for it; undefined if that did not stop it. */
  oldNode?(run: ProgramRun): string | undefined;
}
