import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rankPassages, searchPassages } from "../../../src/engine/rank.ts";
import { tomlServer } from "../../../src/hosts/codex/config-toml.ts";
import { parseNotes } from "../../../src/surfaces/project/notes.ts";
import { openProject } from "../../../src/surfaces/project/project.ts";
import { recoverLevel1, recoverLevel2, recoverLevel3 } from "../../../src/surfaces/project/recover.ts";
import { checkReferences } from "../../../src/surfaces/project/verify.ts";
import { temporaryDirectory } from "../temporary.ts";

interface Pattern {
  source: string;
  flags: string;
}

/**
 * The patterns of `new RegExp(…)`, by file: one for a hostile word, or `loaded` where all are made from constants while the
 * module is loaded.
 */
export const builtPatterns: Record<string, Pattern[] | "loaded"> = {
  "src/cli/terminal/render-markdown.ts": "loaded",
  "src/cli/terminal/wrap-text.ts": "loaded",
  "src/secrets/redact.ts": [{ source: "\\(a\\+\\)\\+aaaa", flags: "giu" }],
  "src/secrets/find-secrets.ts": "loaded",
  "src/cli/commands/forget.ts": [{ source: "a+", flags: "giu" }],
  "src/compaction/steps.ts": "loaded",
  "src/context/fence.ts": "loaded",
  "src/surfaces/recall/passages.ts": "loaded",
  "src/surfaces/project/layout.ts": "loaded",
};

const characters = (text: string) => Math.ceil(text.length / 4);
const screen = { width: 80, colours: true, paint: (_style: unknown, text: string) => text };

/** The arguments of a function after the text. Without a line here it gets the text alone. */
export const moreArguments: Record<string, (text: string) => unknown[]> = {
  "src/adapters/caller/messages.ts answerOf": () => [[]],
  "src/cli/terminal/render-markdown.ts renderMarkdown": () => ["  ", screen],
  "src/cli/terminal/render-markdown.ts renderInline": () => [screen],
  "src/cli/terminal/wrap-text.ts wrapLine": () => [screen],
  "src/cli/terminal/wrap-text.ts cutToWidth": () => [80],
  "src/cli/terminal/wrap-text.ts padToWidth": () => [80],
  "src/compaction/receipt.ts linesShown": (text) => [text.slice(0, -1)],
  "src/compaction/summary.ts findSummaryFault": () => [{ summary: 100, removed: 1_000 }],
  "src/context/excerpt.ts chooseEnds": () => [500, characters],
  "src/context/excerpt.ts renderEnds": () => [{ head: 1_000, tail: 500 }, "…"],
  "src/context/excerpt.ts splitsPair": () => [5],
  "src/context/code-blocks.ts joinCut": () => [1_000, 2_000, "…"],
  "src/engine/merge.ts hasConflictMarkers": () => [{ mine: "mine", theirs: "theirs", base: "base" }],
  "src/engine/merge.ts merge": (text) => [`x${text}`, `${text}x`],
  "src/surfaces/recall/passages.ts findPassages": (text) => [
    text.split("\n").map((line) => ({ from: "1.1", who: "user", at: 0, text: line })),
    1_500,
    characters,
  ],
  "src/engine/rank.ts rankPassages": (text) => [text.split("\n")],
  "src/engine/rank.ts searchPassages": (text) => [text.split("\n")],
  "src/engine/text.ts closestLine": () => ["word aaaa"],
  "src/engine/text.ts countOccurrences": () => ["a"],
  "src/engine/text.ts dropTrailing": () => ["a \n"],
  "src/engine/text.ts isLongerThan": () => [1_000],
  "src/engine/text.ts normaliseText": () => ["text"],
  "src/engine/text.ts replaceText": () => ["a", "bb", true],
  "src/engine/text.ts takeCharacters": () => [1_000_000],
  "src/engine/text.ts applySplice": () => [{ at: 1, removed: "", inserted: "x" }],
  "src/engine/text.ts revertSplice": () => [{ at: 1, removed: "", inserted: "x" }],
  "src/hosts/hook/memory-text.ts cutMiddle": () => [500, "…"],
  "src/hosts/install/json-text.ts appendJson": () => [["a"], 1, "x.json"],
  "src/hosts/install/json-text.ts readJson": () => ["x.json"],
  "src/hosts/install/json-text.ts restoreJson": () => [["a"], 1, "x.json"],
  "src/hosts/install/json-text.ts setJson": () => [["a"], 1, "x.json"],
  "src/hosts/codex/config-toml.ts readToml": () => ["x.toml"],
  "src/hosts/transcript/messages.ts answerMessages": () => [[]],
  "src/surfaces/project/refusal.ts requireLine": () => ["text"],
};

/** Functions that take a text but are not run on hostile ones, and why. */
export const exempt: Record<string, string> = {};

/** Work on hostile text that is more than one function of one argument. */
export const subjects: Record<string, () => Promise<(text: string) => unknown>> = {
  "search_notes with a long query": async () => {
    const notes = shortPassages();
    return (text) => searchPassages(text, notes);
  },
  "the removal of a server from a config in TOML": async () => {
    const piece = tomlServer({ path: "x.toml" }, { command: "holdfast", args: [] }, []);
    return (text) => piece.remove(text, "");
  },
  "a ranking with a long query of a long text": async () => (text) =>
    rankPassages(manyWords(Math.min(text.length, 2_000)), text.split("\n")),
  "recover_context at every level": async () => {
    const project = openProject({ root: projectWithNotes(), countTokens: characters });
    return (text) => {
      for (const section of ["", "## Session Continuity Log\n\n### Decision Log\n\n#### 10:00:00Z - x\n\n"]) {
        const notes = parseNotes(section + text);
        recoverLevel1(project, notes);
        recoverLevel2(project, notes, "word");
        checkReferences(project, notes);
        recoverLevel3(project, notes);
      }
    };
  },
};

function manyWords(length: number): string {
  const words: string[] = [];
  for (let size = 0; size < length; size += 12) words.push(`wordq${words.length.toString(36)}zx`);
  return words.join(" ");
}

function shortPassages(): string[] {
  return Array.from({ length: 600 }, (_, number) =>
    Array.from({ length: 10 }, (_, at) => `word${(number * 10 + at).toString(36)}yx`).join(" "),
  );
}

function projectWithNotes(): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(join(root, "grimoires/loa/NOTES.md"), "# Notes\n");
  return root;
}
