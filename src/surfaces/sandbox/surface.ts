import { z } from "zod";
import { fenceContent } from "../../context/fence.ts";
import type { Json } from "../../engine/json.ts";
import { oneLine } from "../../engine/text.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import { knowledgeOptions } from "../knowledge/tools.ts";
import type { SessionHandle } from "../session-handle.ts";
import { type Call, defineTool, type Surface, type Tool } from "../surface.ts";
import {
  AuthoredTools,
  checkToolName,
  checkToolSchema,
  findTool,
  type ProgramOutput,
  programOutput,
  programText,
  type RunCode,
} from "./authored-tools.ts";
import { mergeSandboxLimits, type SandboxLimits } from "./limits.ts";
import { checkHostTools, guidanceFor, type HostTools, programApi } from "./program-api.ts";
import { createSandbox, type Sandbox, type SandboxFailure, type SandboxResult } from "./sandbox.ts";

export interface SandboxSurfaceOptions {
  /** A shared sandbox, which its creator closes (default: a new one). */
  sandbox?: Sandbox;
  limits?: Partial<SandboxLimits>;
  /** Tools of the host that programs may call (default: none). */
  hostTools?: HostTools;
}

const codes: Record<SandboxFailure, ErrorCode> = {
  syntax_error: "invalid_input",
  program_failed: "program_failed",
  limit_reached: "over_limit",
  aborted: "program_failed",
  closed: "program_failed",
};

/** Programs that the agent writes: run once, or saved as tools. */
export function sandboxSurface(options: SandboxSurfaceOptions = {}): Surface {
  const { limits, sandbox = createSandbox({ limits }), hostTools = {} } = options;
  checkHostTools(hostTools);
  mergeSandboxLimits(limits);
  const outputs = new Outputs();
  const runCode: RunCode = async (call, name, code, input) => {
    const result = await sandbox.run({
      code,
      input: (input ?? null) as Json,
      api: programApi(call, name, hostTools),
      signal: call.signal,
      limits,
    });
    return answer(call, result, outputs);
  };
  const authored = new AuthoredTools(runCode);
  return {
    name: "sandbox",
    order: 1,
    tools: [
      runSandboxCode(runCode),
      createTool(sandbox, authored),
      listTools,
      deleteTool(authored),
      readOutput(outputs),
    ],
    guidance: (_limits, _presentation, chosen) => guidanceFor(hostTools, chosen),
    refresh: (session) => authored.refresh(session),
    block: ({ row }) => {
      const tools = authored.of(row);
      return tools.length === 0 ? undefined : { placement: "system", text: renderTools(tools) };
    },
    extraTools: (agent) => authored.of(agent),
  };
}

function answer({ session }: Call, result: SandboxResult, outputs: Outputs): ProgramOutput {
  const logs = result.logs === "" ? undefined : outputs.show(session, result.logs.trimEnd());
  if (!result.ok) {
    const { code, message, line, limit } = result;
    throw new HoldfastError(codes[code], `${message}${logs === undefined ? "" : `\n\nLog:\n${logs}`}`, {
      data: {
        reason: code,
        ...(line === undefined ? {} : { line }),
        ...(limit === undefined ? {} : { limit }),
        ...(logs === undefined ? {} : { logs }),
      },
    });
  }
  const text = JSON.stringify(result.value);
  const shown = outputs.show(session, text);
  return {
    ...(shown === text ? { value: result.value } : { value: shown, cut: true }),
    ...(logs === undefined ? {} : { logs }),
  };
}

function runSandboxCode(run: RunCode): Tool {
  return defineTool({
    name: "run_sandbox_code",
    description:
      "Run TypeScript or JavaScript in a sandbox and get its return value. It can use your memory; it has no network and no files.",
    input: z.strictObject({
      code: z.string().min(1).describe("The body of an async function: use await and return JSON"),
      input: z.unknown().optional().describe("Any JSON; the program sees it as `input`"),
    }),
    output: programOutput,
    destructive: true,
    isProgram: true,
    run: (call, { code, input }) => run(call, "run_sandbox_code", code, input),
    text: programText,
  });
}

function createTool(sandbox: Sandbox, authored: AuthoredTools): Tool {
  return defineTool({
    name: "create_tool",
    description:
      "Save a program as your own tool, which you can call in every session. Saving under the same name makes a new version.",
    input: z.strictObject({
      name: z.string().describe("Letters, digits, dashes and underscores"),
      description: z.string().trim().min(1).max(1_000).describe("What it does, in one line"),
      schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its input, an object"),
      code: z.string().min(1).describe("As for run_sandbox_code; the checked input is `input`"),
    }),
    output: z.object({ ok: z.literal(true), name: z.string(), version: z.number(), message: z.string() }),
    destructive: true,
    run: async (call, { name, description, schema, code }) => {
      const { session } = call;
      checkToolName(call, name);
      checkToolSchema(schema as Json);
      const checked = await sandbox.check(code);
      if (!checked.ok)
        throw new HoldfastError(
          codes[checked.code],
          `The code of "${name}" does not compile. ${checked.message} Nothing was changed.`,
          { data: { name, line: checked.line } },
        );
      const knowledge = await session.knowledge();
      const tool = { name, description, schema: schema as Json, code };
      const { result } = await knowledge.saveTool(tool, await knowledgeOptions(call));
      await authored.refresh(session);
      return {
        ok: true as const,
        name,
        version: result.version,
        message: `You can now call version ${result.version} of "${name}" like any other tool.`,
      };
    },
  });
}

const listTools = defineTool({
  name: "list_tools",
  description: "List the tools you made, or show one of them with its code.",
  input: z.strictObject({ name: z.string().optional().describe("Show this tool in full") }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        version: z.number(),
        schema: z.unknown().optional(),
        code: z.string().optional(),
      }),
    ),
  }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }, { name }) => {
    if (name !== undefined) return { tools: [await findTool(session, name)] };
    const tools = await (await session.knowledge()).tools();
    return {
      tools: tools.map(({ name, description, version }) => ({ name, description, version })),
    };
  },
});

function deleteTool(authored: AuthoredTools): Tool {
  return defineTool({
    name: "delete_tool",
    description: "Remove a tool you made. Its code stays in the history.",
    input: z.strictObject({ name: z.string() }),
    output: z.object({ ok: z.literal(true) }),
    destructive: true,
    run: async (call, { name }) => {
      const { session } = call;
      await (await session.knowledge()).deleteTool(name, await knowledgeOptions(call));
      await authored.refresh(session);
      return { ok: true as const };
    },
  });
}

function readOutput(outputs: Outputs): Tool {
  return defineTool({
    name: "read_output",
    description: "Continue reading a program's value or log where it was cut.",
    input: z.strictObject({
      id: z.string().describe("The id shown where it was cut"),
      offset: z.int().min(0).optional().describe("Characters to skip"),
    }),
    output: z.object({ content: z.string() }),
    readOnly: true,
    idempotent: true,
    run: async ({ session }, { id, offset = 0 }) => {
      const content = outputs.read(session, id, offset);
      if (content !== undefined) return { content };
      throw new HoldfastError(
        "not_found",
        `The output ${JSON.stringify(id.slice(0, 100))} is not available any more. Run the program again and let it return or log less.`,
        { data: { id } },
      );
    },
    text: ({ content }) => content,
  });
}

function renderTools(tools: readonly Tool[]): string {
  const lines = tools.map(({ name, description }) => `- ${name}: ${fenceContent(oneLine(description))}`);
  return `## Your Tools\n${lines.join("\n")}`;
}

/** Max characters of a value or log per answer. */
const pageCharacters = 8_000;
/** Max characters kept in total; the oldest outputs are dropped first. */
const maxKeptCharacters = 20_000_000;

/** Program outputs that were too long to show in full, kept in memory. */
class Outputs {
  readonly #kept = new Map<string, { session: string; text: string }>();
  #characters = 0;
  #last = 0;

  /** The whole text if it is short; otherwise the first page and how to continue. */
  show(session: SessionHandle, text: string): string {
    if (text.length <= pageCharacters) return text;
    const id = `out_${++this.#last}`;
    this.#kept.set(id, { session: nameOf(session), text });
    this.#characters += text.length;
    for (const [oldest, { text: dropped }] of this.#kept) {
      if (this.#characters <= maxKeptCharacters) break;
      this.#kept.delete(oldest);
      this.#characters -= dropped.length;
    }
    return page(id, text, 0);
  }

  /** A page of an output; undefined if it was dropped or belongs to another session. */
  read(session: SessionHandle, id: string, offset: number): string | undefined {
    const kept = this.#kept.get(id);
    return kept?.session === nameOf(session) ? page(id, kept.text, offset) : undefined;
  }
}

function nameOf({ owner, id }: SessionHandle): string {
  return `${owner}/${id}`;
}

function page(id: string, text: string, offset: number): string {
  let end = Math.min(text.length, offset + pageCharacters);
  // Not within a surrogate pair, whose halves neither page could show.
  if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--;
  const shown = text.slice(offset, end).toWellFormed();
  if (end === text.length) return shown;
  return `${shown}\n[Characters ${offset} to ${end} of ${text.length}. For the rest call read_output with id "${id}" and offset ${end}; it is kept in memory for a while.]`;
}
