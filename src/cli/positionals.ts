import { HoldfastError } from "../errors.ts";

/** Allows at most one positional argument. */
export function atMostOne(positionals: string[], name: string, usage: string): string | undefined {
  const [value, ...rest] = positionals;
  if (rest.length === 0) return value;
  throw new HoldfastError("invalid_input", `There is more than one ${name}. Usage: holdfast ${usage}`);
}

export function noArguments(positionals: string[], usage: string): void {
  const [first] = positionals;
  if (first === undefined) return;
  throw new HoldfastError(
    "invalid_input",
    `Unexpected argument ${JSON.stringify(first)}. Usage: holdfast ${usage}`,
  );
}
