import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  label: string;
  total: number;
  rowHeight: number;
  /** The selected row; scrolled into view when it changes. */
  current?: number | undefined;
  role?: "listbox" | "tree";
  row: (index: number) => ComponentChildren;
  /** Receives the rows in view, so that the caller can load them. */
  onRange?: (first: number, last: number) => void;
  onKey?: (event: KeyboardEvent) => void;
  class?: string;
}

/** Rows rendered above and below the visible ones. */
const overscan = 8;

/** A list of any length that renders only the visible rows. All rows have the same height. */
export function VirtualList(props: VirtualListProps) {
  const { label, total, rowHeight, current, role = "listbox", row, onRange, onKey } = props;
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<[first: number, last: number]>([0, 40]);

  const measure = () => {
    const element = box.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - overscan);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + overscan;
    setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [rowHeight]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || current === undefined || current < 0) return;
    const top = current * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [current, rowHeight]);

  const first = Math.min(range[0], Math.max(0, total - 1));
  const last = Math.min(range[1], total - 1);
  useLayoutEffect(() => {
    if (last >= first) onRange?.(first, last);
  });

  const rows = [];
  for (let index = first; index <= last; index++) {
    rows.push(
      <div
        key={index}
        class="virtual-row"
        role="presentation"
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {row(index)}
      </div>,
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role, and its rows take the focus
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support a label
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role={role}
      aria-label={label}
      tabIndex={-1}
      onScroll={measure}
      onKeyDown={onKey}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${total * rowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

/** The row that a key moves to; undefined when the key does not move. */
export function rowAfterKey(
  event: KeyboardEvent,
  current: number,
  total: number,
  page = 10,
): number | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || total === 0) return undefined;
  const steps: Record<string, number> = {
    ArrowDown: current + 1,
    j: current + 1,
    ArrowUp: current - 1,
    k: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: total - 1,
  };
  const target = steps[event.key];
  return target === undefined ? undefined : Math.max(0, Math.min(total - 1, target));
}
