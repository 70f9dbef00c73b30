import { readFileSync, writeFileSync } from "node:fs";
import { HoldfastError } from "../errors.ts";
import { writePiState } from "../hosts/pi-session-file.ts";
import { onlyArgument, openChosenMemory, readArguments } from "./arguments.ts";

const usage = "export SESSION [--format json|pi] [--into FILE]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    format: { type: "string", default: "json" },
    into: { type: "string" },
  });
  const id = onlyArgument(positionals, "SESSION", usage);
  const memory = await openChosenMemory(values);
  try {
    const session = await memory.resumeSession(id);
    if (values.format === "json") {
      const text = `${JSON.stringify(await memory.exportSession(id), null, 2)}\n`;
      if (values.into === undefined) process.stdout.write(text);
      else writeFileSync(values.into, text, { mode: 0o600 });
      return 0;
    }
    if (values.format !== "pi") {
      throw new HoldfastError(
        "invalid_input",
        `--format must be json or pi (got ${JSON.stringify(values.format)}).`,
      );
    }
    if (values.into === undefined) {
      throw new HoldfastError(
        "invalid_input",
        "A pi session is written back into its file: name it with --into FILE.",
      );
    }
    const before = readFileSync(values.into, "utf8");
    const after = writePiState(
      before,
      { scratchpad: await session.scratchpad.read(), notepad: await session.notepad.read() },
      { now: new Date(), makeId: () => crypto.randomUUID().slice(0, 8) },
    );
    // Only what is new is appended: a reader of the file never sees it half-written.
    if (after !== before) writeFileSync(values.into, after.slice(before.length), { flag: "a" });
    return 0;
  } finally {
    await memory.close();
  }
}
