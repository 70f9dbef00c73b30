import { useEffect, useMemo, useState } from "preact/hooks";
import { count, plural } from "../format.ts";
import { homeNames } from "./homes.ts";
import { messageLine } from "./messages.tsx";
import { arrivedAfter, replaySteps } from "./replay-steps.ts";
import { saveSvg } from "./save-svg.ts";
import { type Compaction, type Home, homes, type Message, type Traced } from "./trace-items.ts";

/** How long each step is shown (milliseconds). */
const stepTime = 700;

interface ReplayProps {
  compaction: Compaction;
  items: readonly Traced[];
  messages: readonly Message[];
  /** The name of the session, for the picture. */
  name: string;
}

/** Plays a compaction: message after message leaves the window, and what was in it moves to where it is now. */
export function CompactionReplay({ compaction, items, messages, name }: ReplayProps) {
  const steps = useMemo(
    () =>
      replaySteps(
        items,
        messages.map(({ number }) => number),
      ),
    [items, messages],
  );
  const [done, setDone] = useState(steps.length);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (done >= steps.length) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => setDone(done + 1), stepTime);
    return () => clearTimeout(timer);
  }, [isPlaying, done, steps.length]);
  const play = () => {
    if (!isPlaying && done >= steps.length) setDone(0);
    setPlaying(!isPlaying);
  };
  const stepTo = (next: number) => {
    setPlaying(false);
    setDone(Math.max(0, Math.min(steps.length, next)));
  };
  const arrived = arrivedAfter(steps, done);
  const current = steps[done - 1];
  const { tokensBefore, tokensAfter } = compaction;
  const share = steps.length === 0 ? 1 : done / steps.length;
  const tokens = tokensBefore - (tokensBefore - tokensAfter) * share;
  return (
    <section class="panel replay" aria-labelledby="title-replay">
      <div class="panel-head">
        <h2 id="title-replay">Replay of the cut</h2>
        <div class="panel-actions">
          <button type="button" class="button" disabled={done === 0} onClick={() => stepTo(done - 1)}>
            ‹ Step back
          </button>
          <button type="button" class="button button-primary" onClick={play}>
            {isPlaying ? "Pause" : "Play"}
          </button>
          <button
            type="button"
            class="button"
            disabled={done >= steps.length}
            onClick={() => stepTo(done + 1)}
          >
            Step ›
          </button>
          <button type="button" class="button" onClick={() => saveSvg({ compaction, items, messages, name })}>
            Save as SVG
          </button>
        </div>
      </div>
      <div class="replay-body">
        <ol class="replay-messages" aria-hidden="true">
          {steps.map(({ source }, index) => (
            <li
              key={source}
              class={`replay-message${index < done ? " is-gone" : ""}${index === done - 1 ? " is-current" : ""}`}
            />
          ))}
        </ol>
        <ul class="replay-homes" aria-label="Arrived so far">
          {homes
            .filter((home) => items.some((item) => item.home === home))
            .map((home) => (
              <HomeRow
                key={home}
                home={home}
                arrived={arrived[home]}
                total={items.filter((item) => item.home === home).length}
                isNew={(current?.arrivals[home] ?? 0) > 0}
              />
            ))}
        </ul>
      </div>
      <p class="replay-line" role="status">
        <span class="number">
          Step {done} of {steps.length}
        </span>
        <span class="faint number"> about {count(tokens)} tokens in the window</span>
        {current && <span class="replay-text"> {describe(current.source, messages)}</span>}
      </p>
    </section>
  );
}

function HomeRow({
  home,
  arrived,
  total,
  isNew,
}: {
  home: Home;
  arrived: number;
  total: number;
  isNew: boolean;
}) {
  return (
    <li class={`replay-home home-${home}${isNew ? " is-new" : ""}`}>
      <span>{homeNames[home]}</span>
      <span class="replay-track">
        <span class="replay-fill" style={{ width: `${(100 * arrived) / Math.max(1, total)}%` }} />
      </span>
      <span class="number">
        {arrived} <span class="faint">of {total}</span>
      </span>
    </li>
  );
}

function describe(source: number, messages: readonly Message[]): string {
  const message = messages.find(({ number }) => number === source);
  if (!message) return `Known from before these ${plural(messages.length, "message")}`;
  return `${message.number} ${message.role}: ${messageLine(message)}`;
}
