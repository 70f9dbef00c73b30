import { useState } from "preact/hooks";
import { differingWords, type WordRun } from "./differing-words.ts";
import type { Conflict } from "./drafts.ts";
import { actorName, ago, capital, plural } from "./format.ts";
import { useNow } from "./store.ts";

type Choice = "mine" | "theirs" | "both";
const choices: readonly [Choice, string][] = [
  ["mine", "Keep mine"],
  ["theirs", "Keep theirs"],
  ["both", "Keep both"],
];

interface ConflictViewProps {
  conflict: Conflict;
  save: (resolved: string, conflict: Conflict) => void;
  cancel: () => void;
}

/** Both sides of a conflicting edit. The person resolves every conflict; nothing is resolved automatically. */
export function ConflictView({ conflict, save, cancel }: ConflictViewProps) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map());
  const now = useNow();
  const theirName = `${who(conflict)}\u2019s${conflict.at === null ? "" : `, ${ago(conflict.at, Math.max(now, Date.now()))}`}`;
  const open = conflict.regions.filter(({ kind }, index) => kind === "conflict" && !chosen.has(index)).length;
  return (
    <section class="conflict" aria-label="Conflicting edits">
      <p class="conflict-message" role="alert">
        <strong>{who(conflict)} changed the same lines while you were editing.</strong> Nothing was saved.
        Choose what to keep for each conflict.
      </p>
      {conflict.regions.map((region, index) =>
        region.kind === "agreed" ? (
          <pre key={index} class="conflict-agreed" dir="auto">
            {shorten(region.text)}
          </pre>
        ) : (
          <div key={index} class="conflict-region">
            <div class="conflict-sides">
              <Side name="Yours" runs={words(region).mine} isChosen={includes(chosen.get(index), "mine")} />
              <Side
                name={theirName}
                runs={words(region).theirs}
                isChosen={includes(chosen.get(index), "theirs")}
              />
            </div>
            <details class="conflict-base">
              <summary>Before both edits</summary>
              <pre dir="auto">{region.base || "(nothing)"}</pre>
            </details>
            <fieldset class="segments" aria-label="What to keep">
              {choices.map(([choice, label]) => (
                <button
                  key={choice}
                  type="button"
                  class="segment"
                  aria-pressed={chosen.get(index) === choice}
                  onClick={() => setChosen(new Map(chosen).set(index, choice))}
                >
                  {label}
                </button>
              ))}
            </fieldset>
          </div>
        ),
      )}
      <div class="editor-foot">
        <p class="editor-state" role="status">
          {open === 0 ? "All conflicts resolved." : `${plural(open, "conflict")} left.`}
        </p>
        <button type="button" class="button" onClick={cancel}>
          Back to my text
        </button>
        <button
          type="button"
          class="button button-primary"
          disabled={open > 0}
          onClick={() => save(resolve(conflict, chosen), conflict)}
        >
          Save
        </button>
      </div>
    </section>
  );
}

function Side({ name, runs, isChosen }: { name: string; runs: readonly WordRun[]; isChosen: boolean }) {
  return (
    <div class={`conflict-side${isChosen ? " is-chosen" : ""}`}>
      <span class="conflict-name">{name}</span>
      <pre dir="auto">
        {runs.length === 0
          ? "(removed)"
          : runs.map(({ text, differs }, index) => (differs ? <mark key={index}>{text}</mark> : text))}
      </pre>
    </div>
  );
}

function words({ mine, theirs }: Conflict["regions"][number]) {
  return differingWords(mine, theirs);
}

function who({ by }: Conflict): string {
  if (by === null) return "Someone else";
  return by.kind === "person" ? "Another person" : capital(actorName(by));
}

function includes(choice: Choice | undefined, side: "mine" | "theirs"): boolean {
  return choice === side || choice === "both";
}

/** Regions are whole lines, so join them with line breaks; an empty side adds no line. */
function resolve({ regions }: Conflict, chosen: ReadonlyMap<number, Choice>): string {
  return regions
    .flatMap(({ kind, text, mine, theirs }, index) => {
      if (kind === "agreed") return [text];
      const choice = chosen.get(index);
      const sides = choice === "both" ? [mine, theirs] : [choice === "theirs" ? theirs : mine];
      return sides.filter((side) => side !== "");
    })
    .join("\n");
}

function shorten(text: string): string {
  const lines = text.split("\n");
  return lines.length <= 6
    ? text
    : [...lines.slice(0, 3), `… ${lines.length - 6} lines …`, ...lines.slice(-3)].join("\n");
}
