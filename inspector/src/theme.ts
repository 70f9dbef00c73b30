import { createStore } from "./store.ts";

export type Theme = "system" | "light" | "dark";

const key = "holdfast-theme";
const order: readonly Theme[] = ["system", "light", "dark"];

export const theme = createStore<Theme>(readTheme());

function readTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function nextTheme(): void {
  const next = order[(order.indexOf(theme.get()) + 1) % order.length] ?? "system";
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme.set(next);
  try {
    localStorage.setItem(key, next);
  } catch {
    // Without storage, the choice lasts until the page closes.
  }
}
