import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startScriptedModel } from "../doctor/scripted-model.ts";
import {
  type ClientPlace,
  copyPackage,
  installClient,
  makeBarePlace,
  run,
  useDoctorModel,
  writeJson,
} from "../test-support/clients.ts";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

interface Client {
  spec: string;
  /** Writes what a user decides once. */
  prepare?(place: ClientPlace): void;
  say(folder: string, place: ClientPlace, prompt: string, url: string): Promise<string>;
}

const clients: Record<string, Client> = {
  "claude-code": {
    spec: "@anthropic-ai/claude-code@2.1.325",
    say: (folder, place, prompt) =>
      run(join(folder, "node_modules/@anthropic-ai/claude-code/bin/claude.exe"), ["-p", prompt], place),
  },
  gemini: {
    spec: "@google/gemini-cli@0.61.0",
    prepare({ home, root }) {
      writeJson(join(home, ".gemini/settings.json"), {
        security: { auth: { selectedType: "vertex-ai" } },
        privacy: { usageStatisticsEnabled: false },
        model: { name: "gemini-2.5-pro" },
      });
      writeJson(join(home, ".gemini/trustedFolders.json"), { [root]: "TRUST_FOLDER" });
    },
    say: (folder, place, prompt) =>
      run(
        process.execPath,
        [join(folder, "node_modules/@google/gemini-cli/bundle/gemini.js"), "-p", prompt],
        place,
      ),
  },
  codex: {
    spec: "@openai/codex@0.166.0",
    say: (folder, place, prompt, url) =>
      run(
        process.execPath,
        [
          join(folder, "node_modules/@openai/codex/bin/codex.js"),
          ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"],
          ...["--config", 'model_provider="scripted"'],
          ...[
            "--config",
            `model_providers.scripted={name="scripted",base_url="${url}/v1",wire_api="responses"}`,
          ],
          prompt,
        ],
        place,
      ),
  },
};

for (const [host, { spec, prepare, say }] of Object.entries(clients)) {
  test(`${spec}: without the program every prompt goes through, and nothing warns [hooks.gone] [init.no-warning]`, {
    timeout: 240_000,
  }, async () => {
    const place = makeBarePlace();
    const model = await startScriptedModel();
    stops.push(model.close);
    await useDoctorModel(host, place, model);
    prepare?.(place);
    const root = copyPackage();
    const init = spawnSync(process.execPath, [join(root, "dist/cli.js"), "init", host], {
      cwd: place.root,
      env: place.env,
      encoding: "utf8",
    });
    assert.equal(init.status, 0, init.stderr);
    assert.ok(!existsSync(join(place.root, ".mcp.json")), "nothing is written into the project");
    const folder = installClient(spec);
    const requests = async (prompt: string) => {
      const asked = model.requests.length;
      const output = await say(folder, place, prompt, model.url);
      assert.doesNotMatch(output, /deprecated|clamping/i);
      return model.requests.slice(asked).map(({ body }) => body);
    };
    const before = await requests("The first question.");
    assert.ok(
      before.some((body) => body.includes("The first question.") && body.includes("write_notepad")),
      "with the program, the tools and the prompt reach the model",
    );
    rmSync(root, { recursive: true });
    const after = await requests("The second question.");
    assert.ok(
      after.some((body) => body.includes("The second question.")),
      "without the program, the prompt reaches the model",
    );
  });
}
