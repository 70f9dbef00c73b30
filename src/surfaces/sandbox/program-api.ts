import type { Json } from "../../engine/json.ts";
import type { KeyValue } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import { derivedKey } from "../call-key.ts";
import type { KeyValues } from "../knowledge/handle.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { Call } from "../surface.ts";
import type { ApiAnswer, SandboxApi } from "./sandbox.ts";

/** The names that a program may call. The journal attributes each call to the tool. */
export function programApi({ session, options }: Call, tool: string, hostTools: HostTools): SandboxApi {
  const toolPaths = Object.keys(hostTools).map((name) => `tools.${name}`);
  const actor = { kind: options.actor?.kind ?? "agent", name: tool };
  const base = options.key === undefined ? undefined : derivedKey(session.id, options.key);
  let calls = 0;
  return {
    paths: [...Object.keys(sessionOperations), ...toolPaths],
    async call(path, args, signal) {
      const number = ++calls;
      const operation = sessionOperations[path];
      if (operation) {
        // Repeating the program repeats its keys, and so its calls return their first answers.
        const key = base === undefined ? {} : { key: `sandbox:${await base}:${number}` };
        return operation(session, args, { actor, surface: "sandbox", ...key });
      }
      const [input] = args as [Json?];
      return { value: await callHostTool(hostTools, path.slice("tools.".length), input, signal) };
    },
  };
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
      const values = await open(session);
      const set = await values.set(key, value ?? null, { ...options, expected: more?.expected ?? undefined });
      return { ...done(set), value: set.result };
    },
    [`${name}.delete`]: async (session, [key, more], options) => {
      const values = await open(session);
      return done(await values.delete(key, { ...options, expected: more?.expected ?? undefined }));
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
async function callHostTool(
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
export function guidanceFor(hostTools: HostTools, chosen: readonly string[]): string {
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
    "- session.scratch (this session) and state (all your sessions): get(key), entry(key), set(key, value, { expected }), delete(key, { expected }), list({ prefix, after, limit })",
    "- console.log(...)",
    ...tools,
    `There is no network, no file system, no timer and no import. ${keep}`,
  ].join("\n");
}
