import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median } from "./measure.ts";

const rounds = 5;

/** Planning a handoff in a fresh process, as a hook does before a compaction. */
export async function planFigures(directory: string): Promise<Figure[]> {
  const transcript = join(directory, "transcript.jsonl");
  writeFileSync(transcript, longTranscript(8_000_000));
  const runs = Array.from({ length: rounds }, () => planOnce(transcript));
  const [{ messages } = { messages: 0 }] = runs;
  const read = median(runs.map((run) => run.read));
  return [
    {
      name: "plan a handoff, transcript of 8 MB, fresh process",
      value: median(runs.map(({ plan }) => plan)),
      target: 150,
      limit: "max",
      unit: "ms",
      detail: `${messages} messages; reading them takes ${read.toFixed(0)} ms`,
    },
  ];
}

interface PlanRun {
  messages: number;
  read: number;
  plan: number;
}

function planOnce(transcript: string): PlanRun {
  const script = join(import.meta.dirname, "plan-once.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, transcript], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`plan-once failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** A Claude Code transcript of this many characters, with the copies of results that the client writes. */
function longTranscript(length: number): string {
  let text = "";
  for (let turn = 0; text.length < length; turn++) text += turnLines(turn);
  return text;
}

const requests = [
  "Please look at the failing test and fix what causes it, then run the suite again.",
  "Never push to main without asking me. Now go on with the parser.",
  "What does this function return when the list is empty? I think it should be null.",
  "Make sure the error says which file could not be read, and keep the public names as they are.",
];

function turnLines(turn: number): string {
  const id = `toolu_${turn.toString(36).padStart(8, "0")}`;
  const file = `/project/src/module-${turn % 97}/handler-${turn % 31}.ts`;
  const source = Array.from(
    { length: 40 },
    (_, line) =>
      `${line + 1}\t  const entry${line} = readEntry(options.path_${turn % 53}, ${turn * 40 + line}); // checks the value first`,
  ).join("\n");
  const line = (type: string, content: unknown, more = {}) =>
    `${JSON.stringify({ type, uuid: `${turn}-${type}-${JSON.stringify(content).length}`, message: { role: type, content }, ...more })}\n`;
  const command = `npm test -- --filter module-${turn % 97} && git diff --stat HEAD~${turn % 5}`;
  return [
    turn % 12 === 0 ? line("user", requests[(turn / 12) % requests.length]) : "",
    line("assistant", [
      { type: "text", text: `I read handler-${turn % 31}.ts because the check in parseEntry was skipped.` },
      { type: "tool_use", id, name: "Read", input: { file_path: file } },
    ]),
    line("user", [{ type: "tool_result", tool_use_id: id, content: source }], {
      toolUseResult: { file: { filePath: file, content: source } },
    }),
    line("assistant", [{ type: "tool_use", id: `${id}b`, name: "Bash", input: { command } }]),
    line("user", [{ type: "tool_result", tool_use_id: `${id}b`, content: `ok ${turn} passed in ${turn}ms` }]),
  ].join("");
}
