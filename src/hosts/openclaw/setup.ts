import { join } from "node:path";
import { packageRoot } from "../../workspace/package.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonSettings } from "../install/json-pieces.ts";
import { configFile, userFolder } from "./files.ts";
import { openclawClient } from "./live.ts";
import { checkTrust } from "./trust.ts";

export const openclawSetup: HostSetup = {
  userFolder,
  projectFiles: [".openclaw"],
  hasOneConfig: true,
  pieces(places) {
    const entry = ["plugins", "entries", "holdfast"];
    return [
      jsonSettings(
        { path: configFile(places) },
        "plugin",
        [
          { path: [...entry, "enabled"], value: true },
          { path: [...entry, "hooks", "allowConversationAccess"], value: true },
        ],
        [
          { path: ["plugins", "load", "paths"], item: packageRoot },
          { path: ["plugins", "allow"], item: "holdfast", onlyIfPresent: true },
        ],
      ),
    ];
  },
  next: () => "OpenClaw has one config for all projects. Restart its gateway: openclaw gateway restart.",
  checkTrust,
  plugin: {
    // OpenClaw loads the whole package and finds this file through its package.json.
    file: join(packageRoot, "dist", "openclaw.js"),
    remedy: "Install the package again; in a checkout, run npm run build.",
    script: `
  const handlers = {};
  let makeTools;
  plugin.register({ on: (name, handler) => (handlers[name] = handler), registerTool: (make) => (makeTools = make) });
  const context = { sessionKey: id, sessionId: id, workspaceDir: cwd };
  const tool = makeTools(context).find(({ name }) => name === "write_notepad");
  await tool.execute("doctor", { content });
  console.log(JSON.stringify(await handlers.before_prompt_build({ prompt: "hello", messages: [] }, context)));
  process.exit(0);`,
  },
  live: openclawClient,
};
