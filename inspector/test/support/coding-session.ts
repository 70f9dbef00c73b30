import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readHookEvent } from "../../../src/hosts/hook/event.ts";
import { runHook } from "../../../src/hosts/hook/run-hook.ts";
import { hostNamed } from "../../../src/hosts/hosts.ts";
import { openMemory } from "../../../src/index.ts";
import { readWorkspaceConfig } from "../../../src/workspace/config.ts";
import { findProject, type Project } from "../../../src/workspace/project.ts";

export const codingSession = "claude-code.f3c1";
export const firstAsk = "Migrate the billing ledger to bigint";

const agent = { actor: { kind: "agent" as const } };
const files = ["ledger", "invoice", "rounding", "export", "report"];

/** Plays a coding agent's session with one compaction: real hooks, a transcript in the host's format, a real store. */
export async function playCodingSession(
  root: string,
): Promise<{ project: Project; database: string; transcript: string }> {
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(findProject(root).directory, { recursive: true });
  const transcript = join(root, "transcript.jsonl");
  const database = join(findProject(root).directory, "memory.db");
  const project = findProject(root);
  const log = new Transcript(transcript);
  log.user(firstAsk);
  const start = { hook_event_name: "SessionStart", transcript_path: transcript };
  log.injected(await send(project, { ...start, source: "startup" }));
  for (const [index, file] of files.entries())
    log.step(
      `src/billing/${file}.ts`,
      `amount${index}: number // cents, TKT-${4700 + index}\n`.repeat(60),
      22_000 * (index + 1),
    );
  const memory = await openMemory({ store: database });
  const session = await memory.openSession(codingSession);
  await session.notepad.write(
    "## Plan\n- [x] Find every amount\n- [ ] Change the column\n- [ ] Run the tests\n\n## Found\n- src/billing/ledger.ts holds cents as number, TKT-4700\n- rounding.ts rounds half up; keep it, TKT-4702\n- export.ts writes JSON, which has no bigint: use strings",
    agent,
  );
  await memory.close();
  await send(project, { hook_event_name: "PreCompact", trigger: "auto", transcript_path: transcript });
  const summary =
    "The ledger is moving from number to bigint. The files under src/billing were read; the column is next.";
  log.compaction(summary);
  await send(project, {
    hook_event_name: "PostCompact",
    compact_summary: summary,
    transcript_path: transcript,
  });
  log.injected(await send(project, { ...start, source: "compact" }));
  log.step("db/migrations/0042_bigint.sql", "ALTER TABLE ledger ALTER amount TYPE bigint;", 14_000);
  log.step("src/billing/ledger.ts", "export type Cents = bigint;", 16_500);
  return { project, database, transcript };
}

/** Runs a hook and returns what it injects. */
async function send(project: Project, payload: Record<string, unknown>): Promise<string> {
  const event = readHookEvent(hostNamed("claude-code"), {
    session_id: "f3c1",
    cwd: project.root,
    ...payload,
  });
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  let answer = "";
  const keep = ({ context = "" }) => {
    answer = context;
  };
  await runHook({ event, project, config: readWorkspaceConfig(project), answer: keep, fail });
  if (failures.length > 0 && payload.source !== "startup") throw failures[0];
  return answer;
}

/** Writes lines as Claude Code does. */
class Transcript {
  readonly #path: string;
  #lines = 0;
  #read = 0;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, "");
  }

  user(content: unknown): void {
    this.#line({ type: "user", message: { role: "user", content } });
  }

  /** A file is read: the call with its usage, and the result. */
  step(path: string, content: string, total: number): void {
    const id = `call_${this.#lines}`;
    const usage = {
      input_tokens: 12,
      cache_read_input_tokens: Math.min(this.#read, total - 12),
      cache_creation_input_tokens: total - 12 - Math.min(this.#read, total - 12),
      output_tokens: 90,
    };
    this.#read = total;
    this.#line({
      type: "assistant",
      requestId: `request_${this.#lines}`,
      message: {
        role: "assistant",
        model: "claude-sonnet-4-5",
        usage,
        content: [{ type: "tool_use", id, name: "Read", input: { file_path: path } }],
      },
    });
    this.user([{ type: "tool_result", tool_use_id: id, content }]);
  }

  /** The text that a hook injected, as an attachment. */
  injected(text: string): void {
    if (text === "") return;
    const attachment = { type: "hook_additional_context", content: [text], hookEvent: "SessionStart" };
    this.#line({ type: "attachment", attachment });
  }

  compaction(summary: string): void {
    this.#read = 9_000;
    this.#line({ type: "system", subtype: "compact_boundary" });
    this.#line({ type: "user", isCompactSummary: true, message: { role: "user", content: summary } });
  }

  #line(value: object): void {
    this.#lines++;
    const at = new Date(Date.UTC(2026, 9, 5, 9, 0, this.#lines * 7)).toISOString();
    const common = { uuid: `line-${this.#lines}`, sessionId: "f3c1", isSidechain: false, timestamp: at };
    appendFileSync(this.#path, `${JSON.stringify({ ...common, ...value })}\n`);
  }
}
