import { useEffect, useRef } from "preact/hooks";
import { brief, count } from "../format.ts";
import { parts } from "../parts.ts";
import type { Call } from "./context-view.tsx";

/** The height of the scale beside the bars. */
const barHeight = 216;

interface CallBarsProps {
  calls: readonly Call[];
  current: number | undefined;
  choose: (number: number) => void;
}

/** A bar per call and a cut per compaction. The left and right keys move through them. */
export function CallBars({ calls, current, choose }: CallBarsProps) {
  const row = useRef<HTMLFieldSetElement>(null);
  const highest = Math.max(1, ...calls.map(heightOf));
  const newest = calls.at(-1)?.number;
  const isAtEnd = current === newest;

  useEffect(() => {
    const element = row.current;
    if (!element) return;
    if (isAtEnd) element.scrollLeft = element.scrollWidth;
    else
      element.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current, newest]);

  const walk = (event: KeyboardEvent) => {
    const index = calls.findIndex(({ number }) => number === current);
    const steps: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: calls.length - 1,
    };
    const next = calls[steps[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    choose(next.number);
    requestAnimationFrame(() => row.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus());
  };

  return (
    <div class="bars-frame">
      <div class="bars-scale number" aria-hidden="true">
        <span>{brief(highest)}</span>
        <span>{brief(highest / 2)}</span>
        <span>0</span>
      </div>
      <fieldset
        class="bars"
        ref={row}
        aria-label="Model calls; use the left and right keys to move"
        onKeyDown={walk}
      >
        {calls.map((call, index) => {
          const before = calls[index - 1];
          const isCut = before !== undefined && before.epoch !== call.epoch;
          return (
            <>
              {isCut && <Cut key={`cut ${call.number}`} before={before} after={call} />}
              <Bar
                key={call.number}
                call={call}
                highest={highest}
                isCurrent={call.number === current}
                choose={choose}
              />
            </>
          );
        })}
      </fieldset>
    </div>
  );
}

function Bar({
  call,
  highest,
  isCurrent,
  choose,
}: {
  call: Call;
  highest: number;
  isCurrent: boolean;
  choose: (number: number) => void;
}) {
  const { number, purpose, contextWindow } = call;
  return (
    <button
      type="button"
      class={`bar bar-${purpose}`}
      aria-pressed={isCurrent}
      aria-label={`Call ${number}, ${purpose}: ${count(usedOf(call))} of ${count(contextWindow)} tokens`}
      tabIndex={isCurrent ? 0 : -1}
      title={`Call ${number} (${purpose})\n${count(usedOf(call))} of ${count(contextWindow)} tokens`}
      onClick={() => choose(number)}
    >
      <span class="bar-stack" style={{ height: `${Math.round((barHeight * heightOf(call)) / highest)}px` }}>
        <span class="bar-part part-free" style={{ flexGrow: call.parts.free }} />
        {parts
          .toReversed()
          .map((part) =>
            call.parts[part] > 0 ? (
              <span key={part} class={`bar-part part-${part}`} style={{ flexGrow: call.parts[part] }} />
            ) : null,
          )}
      </span>
      <span class="bar-number number" aria-hidden="true">
        {purpose === "turn" ? number : purpose === "warning" ? "!" : "Σ"}
      </span>
    </button>
  );
}

function Cut({ before, after }: { before: Call; after: Call }) {
  const saved = usedOf(before) - usedOf(after);
  const text = `Compaction: ${saved > 0 ? `${count(saved)} tokens freed` : "window rebuilt"}`;
  return (
    <span class="cut" role="img" aria-label={text} title={text}>
      <span class="cut-sign" aria-hidden="true">
        ✂
      </span>
    </span>
  );
}

export function usedOf({ parts: sizes }: Call): number {
  return parts.reduce((sum, part) => sum + sizes[part], 0);
}

function heightOf(call: Call): number {
  return usedOf(call) + call.parts.free;
}
