import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../errors.ts";
import { packageRoot } from "../workspace/package.ts";
import {
  type HookEvents,
  jsonCommandServer,
  jsonHooks,
  jsonServer,
  jsonSettings,
} from "./install/json-pieces.ts";
import { type Launcher, usesBuild } from "./install/launcher.ts";
import { pluginFile, shim, tomlServer } from "./install/other-pieces.ts";
import type { Piece } from "./install/piece.ts";
import { type Places, userFolder } from "./install/places.ts";

export const hostNames = ["claude-code", "codex", "opencode", "gemini", "pi", "openclaw"] as const;
export type HostName = (typeof hostNames)[number];

/** All that init, uninstall and doctor know of a host. */
export interface Host {
  name: HostName;
  title: string;
  /** The host's program. */
  program: string;
  /** The folder that the host keeps for a person; where it is, the host is. */
  userFolder(places: Places): string;
  /** Files and folders that show that a project is worked on with this host. */
  projectFiles: readonly string[];
  pieces(places: Places, launcher: Launcher): Piece[];
  /** What the person has to do before it works. */
  next(places: Places): string | undefined;
}

const claudeEvents: HookEvents = {
  SessionStart: {},
  UserPromptSubmit: {},
  PreCompact: {},
  PostCompact: {},
  Stop: {},
  SessionEnd: {},
};

const codexEvents: HookEvents = {
  SessionStart: { matcher: "startup|resume|clear|compact" },
  UserPromptSubmit: {},
  PreCompact: {},
  PostCompact: {},
  Stop: {},
  SessionEnd: {},
};

const geminiEvents: HookEvents = {
  SessionStart: {},
  BeforeAgent: {},
  AfterTool: { matcher: "*" },
  PreCompress: {},
  AfterAgent: {},
  SessionEnd: {},
};

const claudeCode: Host = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  userFolder: userFolder.claudeCode,
  projectFiles: [".claude", ".mcp.json", "CLAUDE.md"],
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder.claudeCode(places) : join(places.root, ".claude");
    const moved = places.env.CLAUDE_CONFIG_DIR;
    const userServers = join(moved || places.home, ".claude.json");
    const servers = places.scope === "user" ? userServers : join(places.root, ".mcp.json");
    return [
      jsonServer(at(places, servers), ["mcpServers", "holdfast"], launcher, {
        type: "stdio",
        alwaysLoad: true,
      }),
      jsonHooks(at(places, join(folder, "settings.json")), "claude-code", launcher, claudeEvents, {
        timeout: 10,
      }),
    ];
  },
  next: ({ scope }) =>
    scope === "project"
      ? "At the next start Claude Code asks whether to use the server: say yes."
      : undefined,
};

const codex: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  userFolder: userFolder.codex,
  projectFiles: [".codex"],
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder.codex(places) : join(places.root, ".codex");
    return [
      tomlServer(at(places, join(folder, "config.toml")), launcher),
      jsonHooks(at(places, join(folder, "hooks.json")), "codex", launcher, codexEvents, { timeout: 10 }),
    ];
  },
  next: ({ scope }) =>
    `Codex skips hooks that nobody has reviewed, without a word: start codex${scope === "project" ? ", trust the project" : ""}, type /hooks and trust them.`,
};

const opencode: Host = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  userFolder: userFolder.opencode,
  projectFiles: [".opencode", "opencode.json", "opencode.jsonc"],
  pieces(places, launcher) {
    const user = userFolder.opencode(places);
    const isUser = places.scope === "user";
    const config = isUser
      ? firstOf(join(user, "opencode.json"), join(user, "opencode.jsonc"), join(user, "config.json"))
      : firstOf(
          join(places.root, "opencode.json"),
          join(places.root, "opencode.jsonc"),
          join(places.root, ".opencode/opencode.json"),
          join(places.root, ".opencode/opencode.jsonc"),
        );
    const plugin = join(isUser ? user : join(places.root, ".opencode"), "plugin", "holdfast.js");
    return [
      jsonCommandServer(at(places, config), ["mcp", "holdfast"], launcher, { type: "local", enabled: true }),
      modulePlugin(places, plugin, "opencode"),
    ];
  },
  next: () => undefined,
};

const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  userFolder: userFolder.gemini,
  projectFiles: [".gemini", "GEMINI.md"],
  pieces(places, launcher) {
    const server = (path: string) => jsonServer(at(places, path), ["mcpServers", "holdfast"], launcher, {});
    const hooks = (path: string) =>
      jsonHooks(at(places, path), "gemini", launcher, geminiEvents, { name: "holdfast", timeout: 10_000 });
    if (places.scope === "project") {
      const settings = join(places.root, ".gemini/settings.json");
      return [server(settings), hooks(settings)];
    }
    const folder = join(userFolder.gemini(places), "extensions", "holdfast");
    const manifest = join(folder, "gemini-extension.json");
    return [
      jsonSettings(at(places, manifest), "extension", [
        { path: ["name"], value: "holdfast" },
        { path: ["version"], value: "1.0.0" },
      ]),
      server(manifest),
      hooks(join(folder, "hooks", "hooks.json")),
    ];
  },
  next: ({ scope }) =>
    scope === "project" ? "Gemini CLI uses a project's hooks only in a folder that you trust." : undefined,
};

const pi: Host = {
  name: "pi",
  title: "pi",
  program: "pi",
  userFolder: userFolder.pi,
  projectFiles: [".pi"],
  pieces(places) {
    const folder = places.scope === "user" ? userFolder.pi(places) : join(places.root, ".pi");
    return [modulePlugin(places, join(folder, "extensions", "holdfast.js"), "pi")];
  },
  next: ({ scope }) =>
    scope === "project"
      ? "From 0.79 on, pi loads a project's extensions only when you trust it: say yes when pi asks, or start pi --approve."
      : undefined,
};

const openclaw: Host = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  userFolder: userFolder.openclaw,
  projectFiles: [".openclaw"],
  pieces(places) {
    const config = places.env.OPENCLAW_CONFIG_PATH || join(userFolder.openclaw(places), "openclaw.json");
    const entry = ["plugins", "entries", "holdfast"];
    return [
      jsonSettings(
        // OpenClaw has one config for all projects.
        { path: config },
        "plugin",
        [
          { path: [...entry, "enabled"], value: true },
          { path: [...entry, "hooks", "allowConversationAccess"], value: true },
        ],
        [
          { path: ["plugins", "load", "paths"], item: packageRoot },
          { path: ["plugins", "allow"], item: "holdfast", onlyIfThere: true },
        ],
      ),
    ];
  },
  next: () => "OpenClaw has one config for all projects. Restart its gateway: openclaw gateway restart.",
};

const table: Readonly<Record<HostName, Host>> = {
  "claude-code": claudeCode,
  codex,
  opencode,
  gemini,
  pi,
  openclaw,
};

export const hosts: readonly Host[] = hostNames.map((name) => table[name]);

/** The hosts of these names, in the table's order. */
export function hostsNamed(names: readonly string[]): Host[] {
  const unknown = names.find((name) => !hostNames.some((known) => known === name));
  if (unknown !== undefined) {
    throw new HoldfastError(
      "invalid_input",
      `There is no host ${JSON.stringify(unknown)}. The hosts are ${hostNames.join(", ")}.`,
    );
  }
  return hosts.filter(({ name }) => names.includes(name));
}

/** In a project, no link may lead a file out of it. */
function at({ scope, root }: Places, path: string): Pick<Piece, "path" | "within"> {
  return scope === "project" ? { path, within: root } : { path };
}

function firstOf(usual: string, ...others: string[]): string {
  return [usual, ...others].find((path) => existsSync(path)) ?? usual;
}

function modulePlugin(places: Places, path: string, name: "opencode" | "pi"): Piece {
  const module = usesBuild()
    ? join(packageRoot, "dist", `${name}.js`)
    : join(packageRoot, "src/hosts", name, "index.ts");
  return pluginFile(at(places, path), "plugin", shim(pathToFileURL(module).href), module);
}
