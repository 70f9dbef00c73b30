import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  createWriteStream,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { findHost } from "../../hosts/hosts.ts";
import { copiesOf } from "../../sessions/copy-store.ts";
import type { Session } from "../../sessions/session.ts";
import { openStore } from "../../stores/open-store.ts";
import { rememberCopy } from "../../workspace/copies.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { type Arguments, usageError } from "../arguments.ts";
import { exportFormats } from "../help.ts";
import { withMemory } from "../memory.ts";
import { pickSession } from "../pick-session.ts";
import { visibleJson } from "../terminal/visible-text.ts";

type Values = Arguments<"store">["values"];

/** Writes one session, or all of them. */
export async function exportSessions(idOrPrefix: string | undefined, values: Values): Promise<number> {
  if (values.all) {
    if (idOrPrefix !== undefined) throw usageError("store", "Pass SESSION or --all, not both");
    return exportAll(values);
  }
  if (idOrPrefix === undefined) throw usageError("store", "SESSION is missing (or pass --all)");
  return withMemory("change", values, async (memory) => {
    const session = await pickSession(memory, idOrPrefix);
    if (values.format === "json") {
      refuseOtherFile(values.into, "holdfast-session");
      write(visibleJson(await memory.exportSession(session.id)), values.into);
      remember(values);
    } else await exportToHost(session, values.format, values.into);
    return 0;
  });
}

/** One session per line, each written before the next is read. */
async function exportAll(values: StoreFlags & { into?: string | undefined }): Promise<number> {
  refuseOtherFile(values.into, "holdfast-copy");
  // Opening the memory first reports a store that does not exist.
  const owner = await withMemory("change", values, async (memory) => memory.owner);
  const store = await openStore(findWorkspace({ flags: values }).store.url);
  const out = values.into === undefined ? process.stdout : createWriteStream(values.into, { mode: 0o600 });
  try {
    for await (const copy of copiesOf(store, owner))
      if (!out.write(`${JSON.stringify(copy)}\n`)) await once(out, "drain");
  } finally {
    await store.close();
    if (out !== process.stdout) out.end();
  }
  if (out !== process.stdout) await once(out, "close");
  remember(values);
  return 0;
}

/** An export replaces an earlier export of its kind, and no other file. */
function refuseOtherFile(path: string | undefined, format: string): void {
  if (path === undefined || !existsSync(path)) return;
  const start = Buffer.alloc(100);
  const file = openSync(path, "r");
  const length = readSync(file, start);
  closeSync(file);
  const [, kind] = /^\{\s*"format":\s*"([\w-]+)"/.exec(start.toString()) ?? [];
  if (length === 0 || kind === format) return;
  throw new HoldfastError(
    "invalid_input",
    `${path} exists and is not an earlier export of this kind. Nothing was written. Name a new file. To add the memory to a coding agent's own session file, pass --format: ${exportFormats.slice(1).join(" or ")}.`,
  );
}

function write(text: string, path: string | undefined): void {
  if (path === undefined) process.stdout.write(`${text}\n`);
  else writeFileSync(path, `${text}\n`, { mode: 0o600 });
}

/** A later redaction has to reach the file as well. */
function remember(values: StoreFlags & { into?: string | undefined }): void {
  if (values.into !== undefined)
    rememberCopy(findWorkspace({ flags: values }).store.url, resolve(values.into));
}

/** Writes the memory into a host's session file. */
async function exportToHost(session: Session, format: string, path: string | undefined): Promise<void> {
  const host = findHost(format);
  const file = await host?.sessionFile?.();
  if (!host || !file) {
    throw new HoldfastError(
      "invalid_input",
      `--format must be ${exportFormats.join(" or ")} (got ${JSON.stringify(format)}).`,
    );
  }
  if (path === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `A ${host.title} session is written back to its own file. Name that file with --into FILE.`,
    );
  }
  const before = readFileSync(path, "utf8");
  const after = file.write(before, {
    scratchpad: await session.scratchpad.read(),
    notepad: await session.notepad.read(),
  });
  // Append only what is new, so that a reader never sees a half-written file.
  if (after !== before) appendFileSync(path, after.slice(before.length));
}
