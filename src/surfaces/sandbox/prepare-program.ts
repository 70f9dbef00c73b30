import { stripTypeScriptTypes } from "node:module";
import { dropTrailing } from "../../engine/text.ts";

/** A program as the VM expects it: an expression that evaluates to an async function. */
export type Prepared =
  | { ok: true; source: string }
  | {
      ok: false;
      message: string;
      line: number | undefined;
      /** The parser overflowed its stack and cannot be used again. */
      parserBroke?: boolean;
    };

/** The program's file name in the VM's stack traces. */
export const programName = "program";

const head = `(async function ${programName}(input, session, state, tools, console) {"use strict";`;

/**
 * Strips the types and wraps the code in an async function, keeping line numbers. A program that is a single
 * expression returns its value; any other is the body of the function.
 */
export function prepareProgram(code: string): Prepared {
  const expression = dropTrailing(code.trimEnd(), ";");
  const value = expression === "" ? undefined : strip(`${head}return (${expression}\n)\n})`);
  if (value?.ok || value?.parserBroke) return value;
  return strip(`${head}${code.replace(/^([ \t]*)export[ \t]+default\b/m, "$1return        ")}\n})`);
}

function strip(source: string): Prepared {
  try {
    return { ok: true, source: stripTypeScriptTypes(source, { mode: "strip", sourceUrl: programName }) };
  } catch (error) {
    const { code, message, stack = "" } = error as NodeJS.ErrnoException;
    if (code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" && code !== "ERR_INVALID_TYPESCRIPT_SYNTAX")
      return { ok: false, message: "The program is nested too deeply.", line: undefined, parserBroke: true };
    const line = Number(stack.match(/^program:(\d+)/)?.[1]) || undefined;
    const unsupported =
      code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
        ? " Only type annotations are supported: no enums, namespaces, parameter properties or <type> casts."
        : "";
    return { ok: false, message: `${firstLine(message)}.${unsupported}`, line };
  }
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/\.$/, "");
}
