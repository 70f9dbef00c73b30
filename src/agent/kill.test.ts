import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import {
  append,
  call,
  isInWarningTurn,
  isSummaryRequest,
  isWarning,
  plainSummary,
  tokensOf,
} from "../../test/support/agent.ts";
import { assertValidPrompt } from "../../test/support/prompt.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../testing/index.ts";
import { assertNothingLost } from "./test-support/journal.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";
import { sheetReader } from "./test-support/sheet-reader.ts";

const ask = "Read the five sheets and tell me when all of them are noted.";
const sheets = 5;
const finding = (sheet: number) => `- sheet ${sheet} is fine`;

/** Knows only the request, like a model: notes the sheet that was read, or reads the next one. */
function nextAnswer(request: ScriptedRequest): ScriptedAnswer {
  if (isSummaryRequest(request)) return { text: plainSummary(request) };
  const noted = readNotepadIn(request).split("\n").filter(Boolean).length;
  if (isWarning(request)) return { toolCalls: [call("read_notepad", {})] };
  if (isInWarningTurn(request)) return { text: "Notepad is up to date." };
  const read = request.messages.some(
    ({ role, content }) => role === "tool" && String(content).startsWith(`Sheet ${noted + 1}\n`),
  );
  if (read) return { toolCalls: [append(finding(noted + 1))] };
  return noted < sheets
    ? { toolCalls: [call("read_sheet", { sheet: noted + 1 })] }
    : { text: "All are noted." };
}

const directory = temporaryDirectory();
let stores = 0;

interface Phase {
  name: string;
  /** Kill when this request comes in. */
  on?: (request: ScriptedRequest, number: number) => boolean;
  /** Or let the process die at its own event. */
  event?: string;
}

const phases: Phase[] = [
  { name: "while waiting for the first answer", on: (_, number) => number === 0 },
  {
    name: "while waiting for an answer to a tool's result",
    on: ({ messages }, number) => number === 3 && messages.at(-1)?.role === "tool",
  },
  { name: "during a tool", event: "in-tool" },
  { name: "right after a memory tool has written", event: "tool-result" },
  { name: "in the warning turn, before the answer", on: isWarning },
  {
    name: "in the warning turn, after its tool call",
    on: (request) => isInWarningTurn(request) && !isWarning(request),
  },
  { name: "during the summary request", on: isSummaryRequest },
  { name: "right after the handoff", event: "handoff" },
  { name: "right after the compaction", event: "compaction" },
];

// The phases mostly wait for disks and processes, so run them concurrently.
describe("kill -9", { concurrency: 3 }, () => {
  for (const phase of phases) killIn(phase);
});

function killIn(phase: Phase): void {
  test(`kill -9 ${phase.name}: a new process continues, and nothing is lost [controller.kill]`, async (t) => {
    const { store, server, unheard } = await runAndKill(t, phase);
    const memory = await openMemory({ store });
    t.after(() => memory.close());
    assert.equal((await sheetReader(memory, server.url).resume("s").result).text, "All are noted.");
    const session = await memory.resumeSession("s");
    assert.equal(
      await session.notepad.read(),
      Array.from({ length: sheets }, (_, index) => finding(index + 1)).join("\n"),
      "every note once, in order",
    );
    assert.ok((await assertNothingLost(session)) > 0, "there was a compaction");
    assert.equal(JSON.stringify(await session.messages()).split(JSON.stringify(ask)).length - 1, 1);
    for (const request of server.requests) assertValidPrompt(request);
    const given = (await session.receipts()).filter(({ warning }) => warning === "given").length;
    assert.ok(
      server.requests.filter((request) => request !== unheard && isWarning(request)).length >= given,
      "an unanswered warning is given again",
    );
    if (phase.event === "in-tool")
      assert.ok(
        server.bodies.some((body) =>
          body.includes("read_sheet was interrupted by a restart. Check what it did"),
        ),
        "a tool of the agent's own is not run a second time unasked",
      );
  });
}

/** Runs the agent in its own process and kills it in the phase. */
async function runAndKill(t: TestContext, { on, event }: Phase) {
  const store = join(directory, `${++stores}.db`);
  let child: ChildProcess | undefined;
  let unheard: ScriptedRequest | undefined;
  const server = await startScriptedServer((request, number) => {
    if (!unheard && on?.(request, number)) {
      unheard = request;
      child?.kill("SIGKILL");
      return { hangUp: true };
    }
    return { ...nextAnswer(request), usage: { input: tokensOf(request), output: 10 } };
  });
  t.after(() => server.close());
  const script = join(import.meta.dirname, "test-support/agent-process.ts");
  child = spawn(process.execPath, [script, server.url, store, ask, event ?? ""], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  assert.equal(signal, "SIGKILL", "the process was killed");
  return { store, server, unheard };
}
