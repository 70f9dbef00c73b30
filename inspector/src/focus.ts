/** A ref that focuses a field the person just opened. A stable function, so that Preact calls it only once. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}
