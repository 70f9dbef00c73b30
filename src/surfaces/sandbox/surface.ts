import { createHash } from "node:crypto";
import { z } from "zod";
import { fenceContent } from "../../context/fence.ts";
import type { Json } from "../../engine/json.ts";
import type { KeyValue } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import type { KeyValues } from "../knowledge/key-values.ts";
import type { SavedTool } from "../knowledge/saved-items.ts";
import { knowledgeOptions } from "../knowledge/tools.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import { agentKey, type Call, defineTool, type Surface, type Tool } from "../surface.ts";
import {
  AuthoredTools,
  checkToolName,
  checkToolSchema,
  findTool,
  type ProgramOutput,
  programOutput,
  programText,
} from "./authored-tools.ts";
import { mergeSandboxLimits, type SandboxLimits } from "./limits.ts";
import {
  type ApiAnswer,
  createSandbox,
  type Sandbox,
  type SandboxApi,
  type SandboxFailure,
  type SandboxResult,
} from "./sandbox.ts";

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
  const { sandbox = createSandbox(options.limits ? { limits: options.limits } : {}), hostTools = {} } =
    options;
  checkHostTools(hostTools);
  mergeSandboxLimits(options.limits);
  const outputs = new Outputs();
  const runCode = async (call: Call, name: string, code: string, input: unknown): Promise<ProgramOutput> => {
    const api = programApi(call, name, hostTools);
    const result = await sandbox.run({
      code,
      input: (input ?? null) as Json,
      api,
      ...(call.signal ? { signal: call.signal } : {}),
      ...(options.limits ? { limits: options.limits } : {}),
    });
    return answer(call, result, outputs);
  };
  const authored = new AuthoredTools(runCode);
  const summaries = new Map<string, string>();
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
    guidance: (_limits, _reading, chosen) => guidanceFor(hostTools, chosen),
    async refresh(session) {
      await authored.refresh(session);
      const { row } = await session.state();
      summaries.set(agentKey(row), renderTools(await (await session.knowledge()).tools()));
    },
    block: ({ row }) => {
      const text = summaries.get(agentKey(row)) ?? "";
      return text === "" ? undefined : { placement: "system", text };
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

function runSandboxCode(
  run: (call: Call, name: string, code: string, input: unknown) => Promise<ProgramOutput>,
): Tool {
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
      const { result } = await knowledge.saveTool(tool, knowledgeOptions(call));
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
      await (await session.knowledge()).deleteTool(name, knowledgeOptions(call));
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

function renderTools(tools: readonly SavedTool[]): string {
  if (tools.length === 0) return "";
  const lines = tools.map(({ name, description }) => `- ${name}: ${fenceContent(oneLine(description))}`);
  return `## Your Tools\n${lines.join("\n")}`;
}

/** The names that a program may call. The journal attributes each call to the tool. */
function programApi({ session, options }: Call, tool: string, hostTools: HostTools): SandboxApi {
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

/** An unchecked argument from a program: any JSON, or missing. The engine checks it. */
// biome-ignore lint/suspicious/noExplicitAny: every operation checks its own fields
type Argument = any;

type Operation = (session: SessionHandle, args: Argument[], options: ApplyOptions) => Promise<ApiAnswer>;

/** Everything programs can do to memory. Each is an ordinary operation: journaled, budgeted, attributed. */
const sessionOperations: Readonly<Record<string, Operation>> = {
  "session.notepad.read": async ({ notepad }) => returns(await notepad.read()),
  "session.notepad.write": async ({ notepad }, [content], options) =>
    done(await notepad.write(content, options)),
  "session.notepad.append": async ({ notepad }, [content], options) =>
    done(await notepad.append(content, options)),
  "session.notepad.prepend": async ({ notepad }, [content], options) =>
    done(await notepad.prepend(content, options)),
  "session.notepad.replace": async ({ notepad }, [find, replacement, more], options) =>
    done(await notepad.replace(find, replacement, { ...options, all: more?.all === true })),
  "session.notepad.delete": async ({ notepad }, [content], options) =>
    done(await notepad.delete(content, options)),

  "session.notes.add": async ({ notes }, [content, tags], options) => {
    const added = await notes.add(content, tags ?? [], options);
    return { ...done(added), value: added.result.note };
  },
  "session.notes.update": async ({ notes }, [id, change], options) => {
    const { content, tags } = change ?? {};
    const updated = await notes.update(
      id,
      { ...(content == null ? {} : { content }), ...(tags == null ? {} : { tags }) },
      options,
    );
    return { ...done(updated), value: updated.result.note };
  },
  "session.notes.delete": async ({ notes }, [id], options) => done(await notes.delete(id, options)),
  "session.notes.get": async ({ notes }, [id]) => returns(await notes.get(id)),
  "session.notes.all": async ({ notes }) => returns(await notes.all()),
  "session.notes.search": async ({ notes }, [query]) =>
    returns(await notes.search(typeof query === "string" ? { query } : { ...query })),
  "session.notes.tags": async ({ notes }) => returns(await notes.tags()),

  "session.scratchpad.read": async ({ scratchpad }) => returns(await scratchpad.read()),
  "session.scratchpad.setNotes": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.setNotes(content, options)),
  "session.scratchpad.appendNotes": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.appendNotes(content, options)),
  "session.scratchpad.setPlan": async ({ scratchpad }, [content], options) =>
    done(await scratchpad.setPlan(content, options)),
  "session.scratchpad.addRef": async ({ scratchpad }, [ref], options) =>
    done(await scratchpad.addRef(ref, options)),
  "session.scratchpad.removeRef": async ({ scratchpad }, [ref], options) =>
    done(await scratchpad.removeRef(ref, options)),
  "session.scratchpad.setRefs": async ({ scratchpad }, [items], options) =>
    done(await scratchpad.setRefs(items, options)),

  ...keyValueOperations("session.scratch", async ({ scratch }) => scratch),
  ...keyValueOperations("state", async (session) => (await session.knowledge()).state),
};

/** JSON values by key: those of the session, and those of the agent. */
function keyValueOperations(
  name: string,
  open: (session: SessionHandle) => Promise<KeyValues>,
): Record<string, Operation> {
  const read = async (session: SessionHandle, key: Argument): Promise<KeyValue | undefined> =>
    (await open(session)).get(key);
  return {
    [`${name}.get`]: async (session, [key]) => returns((await read(session, key))?.value),
    [`${name}.entry`]: async (session, [key]) => returns(await read(session, key)),
    [`${name}.set`]: async (session, [key, value, more], options) => {
      const { expected, schema } = more ?? {};
      const set = await (await open(session)).set(key, value ?? null, {
        ...options,
        ...(expected == null ? {} : { expected }),
        ...(schema == null ? {} : { schema }),
      });
      return { ...done(set), value: set.result };
    },
    [`${name}.delete`]: async (session, [key, more], options) => {
      const { expected } = more ?? {};
      return done(
        await (await open(session)).delete(key, { ...options, ...(expected == null ? {} : { expected }) }),
      );
    },
    [`${name}.list`]: async (session, [selection]) =>
      returns(
        await (await open(session)).list(
          typeof selection === "string" ? { prefix: selection } : { ...selection },
        ),
      ),
  };
}

function returns(value: unknown): ApiAnswer {
  return { value: value as Json | undefined };
}

function done({ warnings }: AppliedOperation<unknown>): ApiAnswer {
  return { value: undefined, warnings };
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
  const end = Math.min(text.length, offset + pageCharacters);
  const shown = text.slice(offset, end).toWellFormed();
  if (end === text.length) return shown;
  return `${shown}\n[Characters ${offset} to ${end} of ${text.length}. For the rest call read_output with id "${id}" and offset ${end}; it is kept in memory for a while.]`;
}

/** The names that a program can call for each surface. */
const objects: Readonly<Record<string, string>> = {
  notepad:
    "- session.notepad: read(), write(text), append(text), prepend(text), replace(find, text, { all }), delete(text)",
  notes:
    "- session.notes: add(text, tags), update(id, { content, tags }), delete(id), get(id), all(), search({ query, tags, limit, offset }), tags()",
  scratchpad:
    "- session.scratchpad: read(), setNotes(text), appendNotes(text), setPlan(text), addRef(ref), removeRef(ref), setRefs(refs)",
};

/** Where a long program writes down how far it is: the first of these surfaces that the agent gets. */
const progress: Readonly<Record<string, string>> = {
  notepad: "append progress to the notepad",
  scratchpad: "append progress to the scratchpad's notes",
  notes: "add a note of your progress",
};

/** How to write a program, for the system prompt. Names only the surfaces that the agent gets. */
function guidanceFor(hostTools: HostTools, chosen: readonly string[]): string {
  const own = Object.entries(objects).flatMap(([surface, line]) => (chosen.includes(surface) ? [line] : []));
  const tools = Object.entries(hostTools).map(
    ([name, { description }]) => `- tools.${name}(input)${description ? `: ${description}` : ""}`,
  );
  const write = Object.entries(progress).find(([surface]) => chosen.includes(surface))?.[1];
  const keep = `In a long program, ${write ?? "store progress with session.scratch.set"} as you go: it is kept even if the program is stopped.`;
  return [
    "## Sandbox",
    "run_sandbox_code runs TypeScript or JavaScript; create_tool saves a program as your own tool. A program is the body of an async function: use await and return JSON. In scope (await every call):",
    "- input: the program's input",
    ...own,
    "- session.scratch (this session) and state (all your sessions): get(key), entry(key), set(key, value, { expected, schema }), delete(key, { expected }), list({ prefix, after, limit })",
    "- console.log(...)",
    ...tools,
    `There is no network, no file system, no timer and no import. ${keep}`,
  ].join("\n");
}

/** A tool of the application that hosts the sandbox. AI SDK tools have this shape. */
export interface HostTool {
  description?: string;
  /** Checks the input before `execute` sees it: a zod schema or any other Standard Schema. */
  inputSchema?: unknown;
  execute?(input: unknown, options: unknown): unknown;
}

/** Host tools by the name that programs use. */
export type HostTools = Readonly<Record<string, HostTool>>;

const namePattern = /^[A-Za-z_$][\w$-]{0,63}$/;

export function checkHostTools(tools: HostTools): void {
  for (const [name, tool] of Object.entries(tools)) {
    if (!namePattern.test(name))
      throw new HoldfastError(
        "invalid_input",
        `${JSON.stringify(name)} is not a valid name for a host tool. Use letters, digits, dashes and underscores.`,
      );
    if (typeof tool?.execute !== "function")
      throw new HoldfastError(
        "invalid_input",
        `The host tool "${name}" has no "execute", so no program can call it.`,
      );
  }
}

/** Calls a host tool for a program; the signal aborts when the program ends. */
export async function callHostTool(
  tools: HostTools,
  name: string,
  input: Json | undefined,
  signal: AbortSignal,
): Promise<Json | undefined> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool?.execute) throw new HoldfastError("unknown_tool", `There is no host tool "${name}".`);
  const checked = await checkInput(name, tool.inputSchema, input ?? {});
  const output = await tool.execute(checked, {
    toolCallId: `sandbox:${name}`,
    messages: [],
    abortSignal: signal,
  });
  return output as Json | undefined;
}

interface Issue {
  message: string;
  path?: readonly unknown[] | undefined;
}

interface StandardSchema {
  "~standard": { validate(value: unknown): Checked | Promise<Checked> };
}

type Checked = { value: unknown; issues?: undefined } | { issues: readonly Issue[] };

async function checkInput(name: string, schema: unknown, input: Json): Promise<unknown> {
  const validate = (schema as StandardSchema | undefined)?.["~standard"]?.validate;
  if (!validate) return input;
  const checked = await validate(input);
  if (!checked.issues) return checked.value;
  const problems = checked.issues.map(({ message, path = [] }) =>
    path.length === 0 ? message : `${path.map(pathName).join(".")}: ${message}`,
  );
  throw new HoldfastError("invalid_input", `tools.${name}: ${problems.join("; ")}. It was not called.`);
}

function pathName(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
