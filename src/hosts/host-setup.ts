import type { Finding } from "./doctor/finding.ts";
import type { Launcher } from "./install/launcher.ts";
import type { ConfiguredServer, Piece } from "./install/piece.ts";
import type { Places } from "./install/places.ts";
import type { ProgramRun } from "./run-program.ts";

/** The setup of a host, for init, uninstall and doctor. */
export interface HostSetup {
  /** Files and folders that show that a project uses this host. */
  projectFiles: readonly string[];
  /** It has one config for all projects, whatever the requested scope. */
  hasOneConfig?: boolean;
  pieces(places: Places, launcher: Launcher): Piece[];
  /** The file that enables our plugin, if the user installed that instead of running init. */
  findPlugin?(places: Places): string | undefined;
  /** The command that continues the last conversation, which has no memory tools if it began before init. */
  resume?: string;
  /** The user's steps before it works. */
  next?(places: Places): string | undefined;
  /** Checks whether this version of the host trusts our configuration enough to run it. Default: no check. */
  checkTrust?(places: Places, version: string): Promise<Finding> | Finding;
  hook?: HookCheck;
  plugin?: PluginCheck;
  live: LiveClient;
}

/** How doctor tests the hook that a host runs. */
export interface HookCheck {
  /** The event that begins a session, under the host's name for it. */
  startEvent: string;
  /** The hook's command line, if no config contains it and a plugin derives it from the server's. */
  lineBeside?(server: ConfiguredServer): string;
}

/** How doctor tests the module that a host loads. */
export interface PluginCheck {
  /** Default: the file that init writes. */
  file?: string;
  /** The next step if the file is missing. Default: run init again. */
  remedy?: string;
  /**
   * The body of a script that calls the tool `name` with `input` in session `id` in the folder `cwd` through `plugin`,
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

/** The provider of a talk's model, for the hosts that are configured with one of this form. */
export function talkProvider({ url }: LiveTalk): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "doctor", name: "doctor", reasoning: false, input: ["text"], cost };
  return {
    baseUrl: `${url}/v1`,
    apiKey: "doctor",
    api: "openai-completions",
    models: [{ ...model, contextWindow: 100_000, maxTokens: 1_000 }],
  };
}

/** How to run the client headless, against a model on this machine. */
export interface LiveClient {
  /** Why it cannot run against such a model here, if it cannot. */
  obstacle?(places: Places): string | undefined;
  /** Writes the files that the client needs before it starts. */
  prepare?(talk: LiveTalk, places: Places): void;
  env(talk: LiveTalk): Record<string, string>;
  /** The arguments that begin a conversation. */
  first(talk: LiveTalk): string[];
  /** The arguments that continue it. */
  again(talk: LiveTalk): string[];
  /** The tokens at which it compacts, if its arguments or files set the window. */
  limit?: number;
  /** The host's id of that conversation, if no hook reports it. */
  session?(folder: string): string | undefined;
  /** Its message about a Node version that is too old; undefined if that was not the problem. */
  oldNode?(run: ProgramRun): string | undefined;
}
