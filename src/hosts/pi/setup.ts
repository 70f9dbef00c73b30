import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { type HostSetup, type LiveClient, type LiveTalk, talkProvider } from "../host-setup.ts";
import { settingsIn } from "../install/json-text.ts";
import { modulePlugin } from "../install/piece.ts";
import { configFolder, locationOf, type Places, userFolderOf } from "../install/places.ts";
import { pi } from "./host.ts";

const check = "trust";

const piClient: LiveClient = {
  env: () => ({ PI_OFFLINE: "1" }),
  first: (talk) => [...modelArguments(talk), "-p", talk.prompt],
  again: (talk) => [...modelArguments(talk), "--continue", "-p", talk.prompt],
  session: sessionIn,
  limit: 100_000 - 16_384,
};

export const piSetup: HostSetup = {
  projectFiles: [".pi"],
  resume: "pi --continue",
  pieces(places) {
    const folder = configFolder(pi, places, ".pi");
    return [modulePlugin(locationOf(places, join(folder, "extensions", "holdfast.js")), pi.name)];
  },
  next: ({ scope }) =>
    scope === "project"
      ? "From 0.79 on, pi loads a project's extensions only if you trust the project: say yes when pi asks, or start pi --approve."
      : undefined,
  checkTrust,
  /** One turn of pi: starts the session, runs a tool, and asks for the messages of a model call. */
  plugin: {
    script: `
  const [handlers, tools, entries] = [{}, {}, []];
  await plugin({
    on: (event, handler) => (handlers[event] = handler),
    registerTool: (tool) => (tools[tool.name] = tool),
    appendEntry: (customType, data) =>
      entries.push({ type: "custom", id: "e" + entries.length, parentId: entries.at(-1)?.id ?? null, customType, data }),
  });
  const sessionManager = { getSessionId: () => id, getBranch: () => entries, getEntries: () => entries };
  const context = { cwd, hasUI: false, sessionManager };
  await handlers.session_start({ type: "session_start" }, context);
  await tools[name].execute("doctor", input, undefined, undefined, context);
  const messages = [{ role: "user", content: [{ type: "text", text: "hello" }], timestamp: 0 }];
  console.log(JSON.stringify(await handlers.context({ type: "context", messages }, context)));
  await handlers.session_shutdown({ type: "session_shutdown" }, context);`,
  },
  live: piClient,
};

/** An extension adds the provider, and an option sets the session folder. */
function modelArguments(talk: LiveTalk): string[] {
  const { folder } = talk;
  const file = join(folder, "provider.js");
  writeFileSync(
    file,
    `export default (pi) => pi.registerProvider("doctor", ${JSON.stringify(talkProvider(talk))});\n`,
  );
  return ["--session-dir", join(folder, "sessions"), "--extension", file, "--model", "doctor/doctor"];
}

/** The first line of pi's session file names the session. */
function sessionIn(folder: string): string | undefined {
  const sessions = join(folder, "sessions");
  if (!existsSync(sessions)) return undefined;
  const file = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  if (file === undefined) return undefined;
  return /"id":"([^"]+)"/.exec(readFileSync(join(sessions, file), "utf8").split("\n")[0] ?? "")?.[1];
}

/** From 0.79 on, pi loads a project's extensions only if the project is trusted. */
function checkTrust(places: Places, version: string): Finding {
  const [, minor] = /^0\.(\d+)/.exec(version) ?? [];
  if (places.scope === "user" || (minor !== undefined && Number(minor) < 79)) return ok(check, "not needed");
  const folder = userFolderOf(pi, places);
  const [saved = {}] = settingsIn(join(folder, "trust.json"));
  const fallback = settingsIn(join(folder, "settings.json")).map((value) => value.defaultProjectTrust)[0];
  const decided = foldersUp(realpathSync(places.root))
    .map((path) => saved[path])
    .find((decision) => typeof decision === "boolean");
  const remedy = "Start pi here, type /trust and trust the project; for one run: pi --approve.";
  if (decided ?? fallback === "always") return ok(check, "pi trusts the project");
  if (decided === false || fallback === "never")
    return problem(check, "pi does not trust the project, so it does not load its extensions.", remedy);
  return problem(check, "pi does not trust the project yet, so it does not load its extensions.", remedy);
}

/** A folder and all its parents. */
function foldersUp(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersUp(dirname(folder))];
}
