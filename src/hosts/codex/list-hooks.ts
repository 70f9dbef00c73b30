import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isObject } from "../../engine/json.ts";
import { endGroup, throwIfStopped, track } from "../doctor/running.ts";
import { isOurHook } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";

interface CodexHook {
  event: string;
  isTrusted: boolean;
  isEnabled: boolean;
}

const limit = 15_000;

/** Our hooks as Codex's own server lists them; a string with the reason if it does not. */
export async function listCodexHooks(program: string, { root, env }: Places): Promise<CodexHook[] | string> {
  throwIfStopped();
  const child = spawn(program, ["app-server"], {
    cwd: root,
    env: { ...env },
    stdio: ["pipe", "pipe", "ignore"],
    detached: process.platform !== "win32",
  });
  track(child);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${limit} ms`), limit);
      const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.on("error", () => {});
      child.once("error", ({ message }) => resolve(message));
      child.once("close", (code) => resolve(`exit code ${code}`));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const { id, result } = parse(line);
        if (id === 1) {
          send({ method: "initialized" });
          send({ id: 2, method: "hooks/list", params: { cwds: [root] } });
        } else if (id === 2)
          resolve(result === undefined ? "this version has no list of hooks" : oursIn(result));
      });
      send({
        id: 1,
        method: "initialize",
        params: { clientInfo: { name: "holdfast-doctor", version: "1" } },
      });
    });
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

function oursIn(result: unknown): CodexHook[] {
  const data = isObject(result) && Array.isArray(result.data) ? result.data : [];
  return data
    .flatMap((folder) => (isObject(folder) && Array.isArray(folder.hooks) ? folder.hooks : []))
    .filter((hook) => isObject(hook) && isOurHook(hook.command, "codex"))
    .map((hook: Record<string, unknown>) => ({
      event: String(hook.eventName),
      isTrusted: hook.trustStatus === "trusted" || hook.isManaged === true,
      isEnabled: hook.enabled !== false,
    }));
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
