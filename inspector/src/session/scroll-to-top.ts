import { useLayoutEffect, useRef } from "preact/hooks";

const tabsHeight = 64;

/** Shows another view from its beginning: the scroll position belongs to the view that was left. */
export function useScrollToTop(view: string): void {
  const last = useRef(view);
  useLayoutEffect(() => {
    if (last.current === view) return;
    last.current = view;
    const main = document.getElementById("main");
    const shown = document.getElementById("view");
    if (!main || !shown) return;
    // Below the tabs, which stay at the top.
    const start = main.scrollTop + shown.getBoundingClientRect().top - main.getBoundingClientRect().top;
    main.scrollTop = Math.min(main.scrollTop, Math.max(0, start - tabsHeight));
  }, [view]);
}
