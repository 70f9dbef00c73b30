import { createHash } from "node:crypto";
import type { Json } from "../../engine/json.ts";
import type { Call } from "../surface.ts";
import { callHostTool, type HostTools } from "./host-tools.ts";
import type { SandboxApi } from "./sandbox.ts";
import { sessionOperations } from "./session-api.ts";

/** What a program may call. The journal attributes each call to the tool. */
export function programApi({ session, options }: Call, tool: string, hostTools: HostTools): SandboxApi {
  const toolPaths = Object.keys(hostTools).map((name) => `tools.${name}`);
  const actor = { kind: options.actor?.kind ?? "agent", name: tool };
  let calls = 0;
  return {
    paths: [...Object.keys(sessionOperations), ...toolPaths],
    async call(path, args, signal) {
      const number = ++calls;
      const operation = sessionOperations[path];
      if (operation) {
        const key = options.key === undefined ? {} : { key: callKey(session.id, options.key, number) };
        return operation(session, args, { actor, surface: "sandbox", ...key });
      }
      const [input] = args as [Json?];
      return { value: await callHostTool(hostTools, path.slice("tools.".length), input, signal) };
    },
  };
}

/** Repeating a call uses the same key and so returns the first answer; hashing keeps the key short. */
function callKey(sessionId: string, key: string, number: number): string {
  const digest = createHash("sha256").update(`${sessionId}\n${key}`).digest("hex").slice(0, 32);
  return `sandbox:${digest}:${number}`;
}
