import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ClientPlace, doctorTurns, writeJson } from "./clients.ts";
import type { RealClient } from "./scenarios.ts";

interface FamilyClient {
  host: string;
  spec: string;
  program(): string;
  /** The user's config, in the home folder. */
  config: string;
  /** Its folder in the project. */
  folder: string;
  /** The package with the types of its plugin API. */
  pluginTypes: string;
  env: Record<string, string>;
}

/** A client of the opencode family: turns by its `run` command, compactions through its server. */
export function opencodeFamilyClient(client: FamilyClient): RealClient {
  const { host, spec, program, config, env } = client;
  return {
    host,
    spec,
    makesDatabase: true,
    prepare(place, { url }) {
      Object.assign(place.env, env);
      for (const folder of [dirname(join(place.home, config)), join(place.root, client.folder)])
        markTypesInstalled(folder, client.pluginTypes);
      const model = { name: "scripted", tool_call: true, limit: { context: 40_000, output: 2_000 } };
      writeJson(join(place.home, config), {
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        // Doctor's own provider has to be added to it.
        enabled_providers: ["scripted"],
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "none" },
            models: { scripted: model },
          },
        },
      });
    },
    // The window less the longest answer.
    limit: 38_000,
    untried: { "warned between turns": "A new process knows the window after its first request." },
    ...doctorTurns(host, () => [program()]),
    compact: (place) => compactOnServer(program(), place),
    answerOwn: ({ tools, text }) =>
      tools.length > 0
        ? undefined
        : { text: /title generator/.test(text) ? "Ledger" : "The user asked for the ledger." },
  };
}

/**
 * The client installs the types of its plugin API in both folders. Without a network that fails, and a process that exits
 * meanwhile leaves a lock, for which the next one waits a minute.
 */
function markTypesInstalled(folder: string, name: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const dependencies = { [name]: "*" };
  writeJson(join(folder, "package.json"), { dependencies });
  writeJson(join(folder, "package-lock.json"), { packages: { "": { dependencies } } });
}

/** Compacts the newest session. */
async function compactOnServer(program: string, { root, env }: ClientPlace): Promise<void> {
  const child = spawn(program, ["serve", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const base = await new Promise<string>((resolve, reject) => {
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          const url = /listening on (http:\S+)/.exec(output)?.[1];
          if (url) resolve(url);
        });
      void ended.then(() => reject(new Error(`the server ended: ${output}`)));
    });
    const sessions = (await (await fetch(`${base}/session`)).json()) as { id: string }[];
    const response = await fetch(`${base}/session/${sessions[0]?.id}/summarize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ providerID: "scripted", modelID: "scripted" }),
    });
    assert.ok(response.ok, `summarize: ${response.status} ${await response.text()}`);
  } finally {
    child.kill();
    await ended;
  }
}
