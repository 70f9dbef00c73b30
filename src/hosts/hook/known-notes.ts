import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { readRegularFile } from "../../stores/regular-file.ts";
import type { Sources } from "../../surfaces/project/handover.ts";
import { locateNotes } from "../../surfaces/project/notes-md/file.ts";
import { isSame, type StampPlace, stampInPlace } from "../../surfaces/project/start-stamp.ts";
import { sealOf } from "../../workspace/binding.ts";
import type { Project } from "../../workspace/project.ts";
import { readSmallFile, writeSmallFile } from "../../workspace/small-file.ts";

/** What a start shows of NOTES.md, and how it writes the time of the start. */
export interface KnownNotes {
  text: string;
  stamp(): void;
}

/** What was read from NOTES.md the slow way. */
export interface RecoveredNotes {
  text: string;
  warnings: readonly string[];
  sources: Sources | undefined;
}

/** What the text was made from, and the text. */
interface Kept {
  program: string;
  name: string;
  stamp: StampPlace;
  uses: Record<string, string>;
  until: number | null;
  text: string;
}

/** Another version may show something else. A built file has a hash of its content in its name. */
const thisProgram = import.meta.url;

/** A text that depends on more files is not worth keeping. */
const maxUses = 50;

/** Reading a larger file takes longer than an agent should wait without a thread of its own. */
const maxBytes = 200_000;

/**
 * Keeps what a start shows of NOTES.md until the file, or one that it refers to, changes: reading Markdown and counting
 * tokens takes five times as long as starting Node.
 */
export function keepNotes(directory: string, { text, warnings, sources }: RecoveredNotes): void {
  if (!sources?.stamp || warnings.length > 0 || sources.paths.length > maxUses) return;
  const { file, stamp, paths, until } = sources;
  const uses = Object.fromEntries(paths.map((path) => [path, stateOf(file.root, path)]));
  const kept: Kept = { program: thisProgram, name: file.name, stamp, uses, until: until ?? null, text };
  try {
    writeSmallFile(pathIn(directory), { ...kept, seal: sealOf(JSON.stringify(kept)) });
  } catch {
    // It is read again next time.
  }
}

/** What was kept by this user, if everything that it was made from is unchanged. */
export function recallNotes({ root, directory }: Project, path: string | undefined): KnownNotes | undefined {
  const { seal, ...rest } = readSmallFile(pathIn(directory)) ?? {};
  const kept = rest as unknown as Kept;
  if (kept.program !== thisProgram || (kept.until !== null && kept.until < Date.now())) return undefined;
  try {
    // The text goes to the agent as it is, so a file that came with the project must not pass for one of ours.
    if (seal !== sealOf(JSON.stringify(kept))) return undefined;
    const file = locateNotes(root, path);
    // A link on the way would lead to another place.
    const isHere = file.name === kept.name && realpathSync.native(dirname(file.path)) === dirname(file.path);
    const bytes = isHere ? readRegularFile(file.path, { maxBytes }) : undefined;
    if (!bytes || !isSame(bytes, kept.stamp)) return undefined;
    for (const [used, state] of Object.entries(kept.uses))
      if (stateOf(file.root, used) !== state) return undefined;
    const now = () => new Date().toISOString().replace(/\.\d{3}Z$/, "Z");
    return { text: kept.text, stamp: () => stampInPlace(file, kept.stamp, bytes, now()) };
  } catch {
    // Reading it the slow way gives a better message.
    return undefined;
  }
}

function pathIn(directory: string): string {
  return join(directory, "cache", "notes-at-start.json");
}

/** Changes whenever the file or folder does. What is outside the project is never read. */
function stateOf(root: string, path: string): string {
  const absolute = resolve(root, path);
  if (!absolute.startsWith(join(root, sep))) return "outside";
  try {
    const stat = statSync(absolute, { throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "missing";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}
