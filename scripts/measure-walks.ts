/**
 * Counts what a reader passes on the main paths of ARCHITECTURE.md: the files of src whose functions are called, and the calls.
 * Usage: node scripts/measure-walks.ts
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session as Inspector, type Profiler } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent } from "../src/agent/agent.ts";
import { openMemory } from "../src/index.ts";

interface Walk {
  name: string;
  files: number;
  calls: number;
}

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "holdfast-walks-"));
const walks: Walk[] = [];

/** A function of a file, and how often it was called; the file's own body has no name. */
function count(name: string, scripts: readonly Profiler.ScriptCoverage[]): void {
  let [files, calls] = [0, 0];
  for (const { url, functions } of scripts) {
    if (!url.startsWith(`file://${root}/src/`)) continue;
    const called = functions.filter(({ functionName }) => functionName !== "");
    const sum = called.reduce((all, { ranges }) => all + (ranges[0]?.count ?? 0), 0);
    if (sum > 0) files++;
    calls += sum;
  }
  walks.push({ name, files, calls });
}

const inspector = new Inspector();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

async function walk(name: string, work: () => Promise<unknown>): Promise<void> {
  await inspector.post("Profiler.takePreciseCoverage");
  await work();
  count(name, (await inspector.post("Profiler.takePreciseCoverage")).result);
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const model = new MockLanguageModelV4({
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue({ type: "text-start", id: "1" });
        controller.enqueue({ type: "text-delta", id: "1", delta: "The ledger has 4,711 rows." });
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
        controller.close();
      },
    }),
  }),
});

try {
  const store = join(folder, "memory.db");
  const memory = await openMemory({ store });
  const session = await memory.createSession({ id: "walk" });
  const append = () => session.call("update_notepad", { operation: "append", content: "- a finding" });
  await append();
  await walk("write", append);
  await walk("read", () => session.context());
  const agent = createAgent({ memory, model, contextWindow: 200_000 });
  const send = () => agent.send("walk", "How many rows?").result;
  await send();
  await walk("turn", send);
  await walk("compaction", () => agent.compact("walk").result);
  await memory.close();
  await walk("resume", async () => {
    const again = await openMemory({ store });
    await (await again.resumeSession("walk")).context();
    await again.close();
  });
  hooks();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.table(Object.fromEntries(walks.map(({ name, ...numbers }) => [name, numbers])));

/** The hook is a process of its own for each event. */
function hooks(): void {
  const project = join(folder, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  const transcript_path = join(project, "transcript.jsonl");
  const line = {
    type: "user",
    uuid: "1",
    sessionId: "s",
    message: { role: "user", content: "Count the rows." },
  };
  writeFileSync(transcript_path, `${JSON.stringify(line)}\n`);
  const send = (name: string, hook_event_name: string, more: object = {}) => {
    const coverage = join(folder, name);
    const event = { session_id: "s", cwd: project, transcript_path, hook_event_name, ...more };
    execFileSync(process.execPath, [join(root, "src/cli.ts"), "hook", "claude-code"], {
      cwd: project,
      input: JSON.stringify(event),
      env: { ...process.env, NODE_V8_COVERAGE: coverage, XDG_STATE_HOME: join(folder, "state") },
    });
    const files = readdirSync(coverage).map((file) => readFileSync(join(coverage, file), "utf8"));
    count(
      name,
      files.flatMap((text) => (JSON.parse(text) as { result: Profiler.ScriptCoverage[] }).result),
    );
  };
  send("hook: start", "SessionStart", { source: "startup" });
  send("hook: prompt", "UserPromptSubmit", { prompt: "Count the rows." });
  send("hook: compaction", "PreCompact", { trigger: "auto" });
  send("hook: after it", "SessionStart", { source: "compact" });
}
