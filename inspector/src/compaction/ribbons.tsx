import type { Home, Traced } from "./trace-items.ts";

interface Ribbon {
  from: number;
  home: Home;
  items: number;
}

interface Point {
  x: number;
  y: number;
}

export interface Layout {
  sources: ReadonlyMap<number, Point>;
  homes: ReadonlyMap<Home, Point>;
  width: number;
  height: number;
}

/** The source of items from before the removed messages. */
export const earlier = 0;

/** The map's connecting lines. */
export function Ribbons({
  ribbons,
  layout,
  lit,
}: {
  ribbons: readonly Ribbon[];
  layout: Layout;
  lit: readonly Traced[] | undefined;
}) {
  const max = Math.max(1, ...ribbons.map(({ items }) => items));
  const isLit = ({ from, home }: Ribbon) =>
    lit?.some((item) => item.home === home && (item.sources[0] ?? earlier) === from) ?? false;
  return (
    <svg class="ribbons" width={layout.width} height={layout.height} aria-hidden="true">
      {ribbons.map((ribbon) => {
        const from = layout.sources.get(ribbon.from);
        const to = layout.homes.get(ribbon.home);
        if (!from || !to) return null;
        const middle = (from.x + to.x) / 2;
        return (
          <path
            key={`${ribbon.from} ${ribbon.home}`}
            class={`ribbon ribbon-${ribbon.home}${isLit(ribbon) ? " is-lit" : ""}`}
            d={`M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`}
            stroke-width={1.5 + 9 * Math.sqrt(ribbon.items / max)}
          />
        );
      })}
    </svg>
  );
}

/** One line per pair of message and destination. */
export function ribbonsOf(items: readonly Traced[]): Ribbon[] {
  const found = new Map<string, Ribbon>();
  for (const { home, sources } of items) {
    const from = sources[0] ?? earlier;
    const ribbon = found.get(`${from} ${home}`) ?? { from, home, items: 0 };
    ribbon.items++;
    found.set(`${from} ${home}`, ribbon);
  }
  return [...found.values()].sort((a, b) => b.items - a.items);
}

/** The start and end points of the lines. */
export function measure(frame: HTMLElement): Layout {
  const box = frame.getBoundingClientRect();
  const sources = new Map<number, Point>();
  for (const element of frame.querySelectorAll<HTMLElement>("[data-source]")) {
    const { right, top } = element.getBoundingClientRect();
    sources.set(Number(element.dataset.source), { x: right - box.left, y: top - box.top + 17 });
  }
  const found = new Map<Home, Point>();
  for (const element of frame.querySelectorAll<HTMLElement>("[data-home]")) {
    const { left, top } = element.getBoundingClientRect();
    found.set(element.dataset.home as Home, { x: left - box.left, y: top - box.top + 22 });
  }
  return { sources, homes: found, width: box.width, height: box.height };
}
