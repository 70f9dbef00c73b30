import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Scrolls a row of choices sideways to the chosen one, which a narrow screen would hide. */
export function useScrollToChosen(
  row: RefObject<HTMLElement | null>,
  selector: string,
  chosen: unknown,
): void {
  useLayoutEffect(() => {
    const list = row.current;
    const item = list?.querySelector<HTMLElement>(selector);
    if (list && item) list.scrollLeft = item.offsetLeft - (list.clientWidth - item.offsetWidth) / 2;
  }, [chosen]);
}
