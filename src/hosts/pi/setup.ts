import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { locationOf } from "../install/places.ts";
import { modulePlugin } from "../install/plugin-piece.ts";
import { userFolder } from "./files.ts";
import { pi } from "./host.ts";
import { piClient } from "./live.ts";
import { checkTrust } from "./trust.ts";

export const piSetup: HostSetup = {
  userFolder,
  projectFiles: [".pi"],
  resume: "pi --continue",
  pieces(places) {
    const folder = places.scope === "user" ? userFolder(places) : join(places.root, ".pi");
    return [modulePlugin(locationOf(places, join(folder, "extensions", "holdfast.js")), pi.name)];
  },
  next: ({ scope }) =>
    scope === "project"
      ? "From 0.79 on, pi loads a project's extensions only if you trust the project: say yes when pi asks, or start pi --approve."
      : undefined,
  checkTrust,
  /** What pi does in one turn: starts the session, runs a tool, and asks for the messages of a model call. */
  plugin: {
    script: `
  const [handlers, tools, entries] = [{}, {}, []];
  await plugin({
    on: (name, handler) => (handlers[name] = handler),
    registerTool: (tool) => (tools[tool.name] = tool),
    appendEntry: (customType, data) =>
      entries.push({ type: "custom", id: "e" + entries.length, parentId: entries.at(-1)?.id ?? null, customType, data }),
  });
  const sessionManager = { getSessionId: () => id, getBranch: () => entries, getEntries: () => entries };
  const context = { cwd, hasUI: false, sessionManager };
  await handlers.session_start({ type: "session_start" }, context);
  await tools.write_notepad.execute("doctor", { content }, undefined, undefined, context);
  const messages = [{ role: "user", content: [{ type: "text", text: "hello" }], timestamp: 0 }];
  console.log(JSON.stringify(await handlers.context({ type: "context", messages }, context)));
  await handlers.session_shutdown({ type: "session_shutdown" }, context);`,
  },
  live: piClient,
};
