import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../workspace/package.ts";
import type { HostSetup } from "../host-setup.ts";
import { usesBuild } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { dshClient } from "./live.ts";
import { patchPiece } from "./patch-piece.ts";

const module = usesBuild()
  ? join(packageRoot, "dist", "dsh.js")
  : join(packageRoot, "src/hosts/dsh/index.ts");

export const dshSetup: HostSetup = {
  userFolder,
  projectFiles: [".dsh"],
  // The patches of its home folder are for all projects and profiles.
  hasOneConfig: true,
  pieces(places) {
    const folder = userFolder(places);
    return [
      patchPiece({ path: join(folder, "cordis.patch.yml") }, module, pathToFileURL(module).href),
      skillPiece({ ...places, scope: "user" }, join(folder, "skills")),
    ];
  },
  next: () =>
    "DeepSeek Harness has one config for all projects. It does not start if this package is removed first.",
  plugin: {
    // DeepSeek Harness loads it by its URL.
    file: module,
    remedy: "Install the package again; in a checkout, run npm run build.",
    script: `
  const handlers = {};
  const tools = {};
  const agent = {
    id,
    session: { id, header: { cwd }, deriveMessages: () => [], requestHeader: () => undefined },
    options: {},
    ctx: { get: () => ({ register: (tool) => (tools[tool.name] = tool) }) },
  };
  const ctx = { on: (name, handler) => (handlers[name] = handler), effect: () => {}, plugin: () => {} };
  await plugin.addMemory(ctx);
  await handlers["agent/created"]({ agent });
  const call = { callId: "doctor", name: "write_notepad", arguments: { content } };
  await tools.write_notepad.execute(call.arguments, call);
  const next = async () => ({ sections: [], variables: {} });
  console.log(JSON.stringify(await handlers["system-prompt/assemble"]({}, { agent }, next)));
  process.exit(0);`,
  },
  live: dshClient,
};

function userFolder({ env, home }: Places): string {
  return env.DSH_HOME || join(home, ".dsh");
}
