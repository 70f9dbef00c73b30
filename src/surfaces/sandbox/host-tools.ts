import type { Json } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";

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
