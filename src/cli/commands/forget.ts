import { mapStrings } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { maskMatches, maskOccurrences, maskText } from "../../secrets/redact.ts";
import { copiesOf } from "../../sessions/copy-session.ts";
import type { Memory } from "../../sessions/memory.ts";
import { openStore } from "../../stores/open-store.ts";
import type { TextEdit } from "../../stores/rewrite.ts";
import type { SessionSummary, Store } from "../../stores/store.ts";
import { knowledgeOwner } from "../../surfaces/knowledge/handle.ts";
import { notesPaths } from "../../surfaces/project/location.ts";
import { readRegularFile } from "../../workspace/small-file.ts";
import { findWorkspace, type Workspace } from "../../workspace/workspace.ts";
import { readArguments, usageError } from "../arguments.ts";
import { withMemory } from "../memory.ts";
import { allSessions } from "../pick-session.ts";
import { backupsOf, editBackup, withoutSessions, withTextsEdited } from "../store-backups.ts";
import { ageOf, counted } from "../terminal/quantities.ts";
import { ask, isAtTerminal, print, printLines, type Screen } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { wrapLine } from "../terminal/wrap-text.ts";

/** The texts to remove, and how to remove them in each kind of place. */
interface Removal {
  /** The matches in the store, one line per session. */
  found: string[];
  inStore(): Promise<{ sessions: string[]; report: string; remaining: string[] }>;
  inText: (text: string) => string | Promise<string>;
  /** Whether the copy had it. */
  inCopy(store: Store): Promise<boolean>;
}

/** Removes a text or sessions from everything that is stored. Shows what goes, and asks a person first. */
export async function forget(args: string[], confirm = confirmAtTerminal): Promise<number> {
  const { values, positionals } = readArguments("forget", args);
  const ids = [...new Set(values.session)];
  const [text] = positionals;
  const ways = [ids.length > 0, text !== undefined, values.pattern !== undefined, values.secrets];
  if (ways.filter(Boolean).length !== 1)
    throw usageError("forget", "Pass TEXT, --pattern, --secrets or --session (only one)");
  const edit = ids.length > 0 ? undefined : readEdit(text, values.pattern);
  return withMemory("change", values, async (memory) => {
    const workspace = findWorkspace({ flags: values });
    const removal = edit ? await textRemoval(memory, workspace, edit) : await sessionRemoval(memory, ids);
    const copies = backupsOf(workspace.store, values.backup);
    const { files } = copies;
    const documents = edit ? documentsWith(workspace, edit) : [];
    const notReached = [...copies.remaining, ...documents];
    const outcome = { removed: false, found: removal.found, copies: files, remaining: notReached };
    if (removal.found.length === 0 && files.length === 0 && !values.yes) {
      print(values, outcome, () => ["Found nothing to forget.", ...notReached]);
      return 0;
    }
    if (!values.json) printLines((screen) => describe(removal.found, files, screen));
    const isSure = values.yes || (!values.json && (await confirm("\nRemove it permanently? [y/N] ")));
    if (!isSure) {
      print(values, outcome, () => ["", "Nothing was removed. Add --yes to remove it."]);
      return 1;
    }
    const { sessions, report, remaining } = await removal.inStore();
    const changed: string[] = [];
    const problems: string[] = [];
    for (const path of files) {
      const { isChanged, problem } = await editBackup(path, removal.inText, removal.inCopy);
      if (isChanged) changed.push(path);
      if (problem !== undefined) problems.push(problem);
    }
    remaining.push(...notReached, ...problems);
    const isRemoved = documents.length === 0 && problems.length === 0;
    print(values, { removed: isRemoved, sessions, copies: files, changed, remaining }, () => [
      "",
      report,
      ...(changed.length > 0 ? ["Removed it from these copies too:"] : []),
      ...changed.map((path) => `  ${path}`),
      ...remaining,
    ]);
    return isRemoved ? 0 : 1;
  });
}

async function confirmAtTerminal(question: string): Promise<boolean> {
  return isAtTerminal() && /^y(?:es)?$/i.test((await ask(question)) ?? "");
}

function describe(found: readonly string[], copies: readonly string[], screen: Screen): string[] {
  return [
    found.length > 0 ? "To be removed permanently:" : "The store does not have it.",
    ...found.flatMap((line) => wrapLine(line, screen, "    ")),
    ...(copies.length > 0 ? ["Each of these copies is cleaned too, if it has it:"] : []),
    ...copies.map((path) => `  ${path}`),
  ];
}

/** Shorter texts occur everywhere. */
const minLength = 4;

/** An edit that masks what is to be forgotten; without a text and a pattern, every secret. */
function readEdit(text: string | undefined, pattern: string | undefined): TextEdit {
  if (text !== undefined) {
    if (text.length >= minLength) return maskOccurrences(text);
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(text)} is too short: it would change unrelated text. Give at least ${minLength} characters, or --pattern.`,
    );
  }
  if (pattern === undefined) return (given) => maskText(given);
  try {
    return maskMatches(new RegExp(pattern, "gu"));
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `--pattern ${JSON.stringify(pattern)} is not a regular expression: ${(error as Error).message}.`,
    );
  }
}

async function textRemoval(memory: Memory, { store }: Workspace, edit: TextEdit): Promise<Removal> {
  const owners = [memory.owner, knowledgeOwner(memory.owner)];
  return {
    found: await findText(store.url, memory.owner, edit),
    async inStore() {
      const { sessions, values, remaining } = await memory.rewrite(edit);
      const ids = sessions.map(({ sessionId }) => sessionId);
      const report =
        ids.length === 0
          ? "The store did not have it."
          : `Removed it from ${counted(values, "stored value")} of ${counted(ids.length, "session")}: ${ids.join(", ")}.`;
      return { sessions: ids, report, remaining };
    },
    inText: withTextsEdited(edit),
    async inCopy(copy) {
      const rewritten = await copy.rewrite?.(owners, edit, Date.now());
      return rewritten !== undefined && rewritten.sessions.length > 0;
    },
  };
}

/** The sessions that have it: how often, and the first place, with what goes already masked. */
async function findText(url: string, owner: string, edit: TextEdit): Promise<string[]> {
  const found: string[] = [];
  const store = await openStore(url);
  try {
    for await (const copy of copiesOf(store, owner)) {
      let count = 0;
      let first = "";
      mapStrings(copy, (text) => {
        // Ids stay.
        const edited = text === copy.row.id || text === copy.row.parent ? text : edit(text);
        if (edited !== text && count++ === 0) first = placeIn(text, edited);
        return text;
      });
      if (count > 0) found.push(`  ${copy.row.id}  ${counted(count, "text")}, first: ${first}`);
    }
  } catch (error) {
    // A damaged session cannot be listed, but what it stores can be edited.
    if (!(error instanceof HoldfastError)) throw error;
    found.push(`  and what could not be listed: ${error.message}`);
  } finally {
    await store.close();
  }
  return found;
}

/** Characters shown before and after the place. */
const around = 40;

function placeIn(text: string, edited: string): string {
  let start = 0;
  while (text[start] === edited[start]) start++;
  const from = Math.max(0, start - around);
  const shown = edited.slice(from, start + around).toWellFormed();
  return `${from > 0 ? "…" : ""}${visibleLine(shown.replaceAll(/\s+/g, " "))}${start + around < edited.length ? "…" : ""}`;
}

async function sessionRemoval(memory: Memory, ids: readonly string[]): Promise<Removal> {
  const sessions = await chooseSessions(memory, ids);
  return {
    found: sessions.map(({ id, title, status, updatedAt, revision }) => {
      const facts = [status, `changed ${ageOf(updatedAt)}`, counted(revision, "revision")];
      return `  ${id}  ${title === null ? "" : `${visibleLine(title)}  `}${facts.join(" · ")}`;
    }),
    async inStore() {
      for (const { id } of sessions) await memory.purgeSession(id);
      const report = `Removed ${counted(sessions.length, "session")} permanently.`;
      return { sessions: sessions.map(({ id }) => id), report, remaining: await memory.erase() };
    },
    inText: withoutSessions(ids),
    async inCopy(store) {
      let hadIt = false;
      for (const sessionId of ids) hadIt = (await store.purge({ owner: memory.owner, sessionId })) || hadIt;
      return hadIt;
    },
  };
}

/** The sessions with exactly these ids, forks before what they read from. Nothing is removed if one cannot be. */
async function chooseSessions(memory: Memory, ids: readonly string[]): Promise<SessionSummary[]> {
  const known = [...(await allSessions(memory)), ...(await allSessions(memory, "deleted"))];
  const missing = ids.find((id) => !known.some((session) => session.id === id));
  if (missing !== undefined)
    throw new HoldfastError(
      "session_not_found",
      `There is no session with the id ${JSON.stringify(missing)}. Nothing was removed. "holdfast sessions --all" lists them.`,
    );
  const fork = known.find(
    ({ id, origin, parent }) =>
      origin === "forked" && parent !== null && ids.includes(parent) && !ids.includes(id),
  );
  if (fork)
    throw new HoldfastError(
      "conflict",
      `Session ${fork.parent} cannot be removed: its fork ${fork.id} reads from it. Nothing was removed. Name the fork too.`,
    );
  return known
    .filter(({ id }) => ids.includes(id))
    .toSorted((left, right) => right.createdAt - left.createdAt);
}

/** NOTES.md may not be larger. */
const maxDocument = 8_000_000;

/** The project's own documents that have it: they belong to the project, so a person edits them. */
function documentsWith({ project, config }: Workspace, edit: TextEdit): string[] {
  return notesPaths(project.root, config.values["project.file"]).flatMap((path) => {
    const text = readRegularFile(path, { maxBytes: maxDocument })?.toString("utf8") ?? "";
    return edit(text) === text
      ? []
      : [`Not reached: ${path} is a document of the project and contains it too. Edit it yourself.`];
  });
}
