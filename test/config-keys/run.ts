import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Memory, openMemory, type Session, surfaceNames } from "../../src/index.ts";
import type { ScriptedRequest } from "../../src/testing/index.ts";
import { userConfigFile } from "../../src/workspace/config.ts";
import { findProject } from "../../src/workspace/project.ts";
import {
  type EntryPoint,
  entryPoints,
  findSetting,
  type SettingName,
  settingOf,
} from "../../src/workspace/settings.ts";
import { compiled } from "../support/compiled.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** An entry point as a user meets it: the plugins are two hosts. */
export type Entry = Exclude<EntryPoint, "plugin"> | "pi" | "openclaw";

export const entries: readonly Entry[] = entryPoints.flatMap((name): Entry[] =>
  name === "plugin" ? ["pi", "openclaw"] : [name],
);

export function entriesOf(actsIn: readonly EntryPoint[]): readonly Entry[] {
  return entries.filter((entry) =>
    actsIn.includes(entry === "pi" || entry === "openclaw" ? "plugin" : entry),
  );
}

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

/** A turn of a conversation in a plugin's host. */
export interface Turn {
  user: string;
  agent: string;
  /** A memory tool that the agent calls. */
  write?: ToolCall;
  /** The host compacts before it. */
  isCompacted?: boolean;
}

export interface RunRequest {
  entry: Exclude<Entry, "hook">;
  cwd: string;
  env: Record<string, string>;
  /** Begins at once to remove what retention no longer keeps. */
  sweeps: boolean;
  /** Arguments and lines for a chat. */
  args: string[];
  input: string[];
  /** Tool calls over MCP or in a plugin. */
  calls: ToolCall[];
  /** A conversation in a plugin's host. */
  turns: Turn[];
  /** Commands for people. */
  commands: string[][];
}

export interface RunAnswer {
  /** The tools that the model is offered. */
  tools: string[];
  /** The results of the calls, and their milliseconds. */
  answers: string[];
  took: number[];
  /** The texts that the model was shown, turn by turn, and notices. */
  shown: string[];
  output: string;
  errors: string;
}

/** A run of one entry point in a project, for the cases to look at. */
export interface Evidence extends RunAnswer {
  entry: Entry;
  root: string;
  /** The requests that the model got, in a chat. */
  requests: readonly ScriptedRequest[];
  /** A file of the project, or "". */
  read(path: string): string;
  /** Opens the project's default store. */
  inMemory<T>(work: (memory: Memory) => Promise<T>): Promise<T>;
}

/** How a setting is seen to act. Without it, `seen` must be false. */
export interface Case {
  value: unknown;
  seen(run: Evidence): boolean | Promise<boolean>;
}

/** Runs that show what settings do, in some entry points. */
export interface Scenario {
  name: string;
  entries: readonly Entry[];
  /** Settings of both runs, with and without the values of the cases. */
  base?: Record<string, unknown>;
  cases(entry: Entry): Partial<Record<SettingName, Case>>;
  run(entry: Entry, root: string): Promise<Evidence>;
}

/** A project with this config. */
export function projectWith(config: Record<string, unknown>): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  const [ofUser, ofProject] = [true, false].map((isOfUser) =>
    Object.fromEntries(
      Object.entries(config).filter(([name]) => {
        const setting = findSetting(name);
        return (setting !== undefined && settingOf(setting).isOfUser === true) === isOfUser;
      }),
    ),
  );
  writeFileSync(join(root, "holdfast.json"), JSON.stringify(ofProject));
  // A file of the project cannot set these. The runs of a scenario follow one another, so one variable serves them all.
  process.env.XDG_CONFIG_HOME = temporaryDirectory();
  mkdirSync(join(process.env.XDG_CONFIG_HOME, "holdfast"));
  writeFileSync(userConfigFile(), JSON.stringify(ofUser));
  return root;
}

export function evidenceOf(
  entry: Entry,
  root: string,
  given: Partial<RunAnswer> & { requests?: readonly ScriptedRequest[] },
): Evidence {
  const nothing = {
    tools: [],
    answers: [],
    shown: [],
    output: "",
    errors: "",
    requests: [],
    took: [],
  };
  return {
    ...nothing,
    ...given,
    entry,
    root,
    read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""),
    inMemory: async (work) => {
      const store = join(findProject(root).directory, "memory.db");
      const memory = await openMemory({ store, surfaces: surfaceNames });
      try {
        return await work(memory);
      } finally {
        await memory.close();
      }
    },
  };
}

/** The session of an entry point's runs. */
export async function sessionOf(memory: Memory, entry: Entry): Promise<Session> {
  const prefix: Partial<Record<Entry, string>> = {
    hook: "claude-code.",
    pi: "pi.",
    openclaw: "openclaw.",
  };
  return memory.openSession(`${prefix[entry] ?? ""}s`);
}

let child: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();
process.once("exit", () => child?.kill());

/** Runs an entry point in the shared process. */
export function runIn(
  entry: Exclude<Entry, "hook">,
  root: string,
  request: Partial<RunRequest> = {},
): Promise<Evidence> {
  const turn = last.then(() => ask(entry, root, request));
  last = turn.catch(() => undefined);
  return turn;
}

async function ask(
  entry: Exclude<Entry, "hook">,
  root: string,
  given: Partial<RunRequest>,
): Promise<Evidence> {
  child ??= fork(join(import.meta.dirname, "runner.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: compiled },
  });
  child.ref();
  child.channel?.ref();
  const request: RunRequest = {
    entry,
    cwd: root,
    sweeps: false,
    args: [],
    input: [],
    calls: [],
    turns: [],
    commands: [],
    ...given,
    env: { XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME ?? "", ...given.env },
  };
  child.send(request);
  const [answer] = (await once(child, "message")) as [{ given: RunAnswer } | { error: string }];
  child.unref();
  child.channel?.unref();
  if ("error" in answer) throw new Error(answer.error);
  return evidenceOf(entry, root, answer.given);
}
