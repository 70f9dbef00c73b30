/** For what a person has just opened, to type into. The same function each time, so that it is called once. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}
