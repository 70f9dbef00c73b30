// Runs before the first paint, so that the other theme does not flash.
try {
  const chosen = localStorage.getItem("holdfast-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, use the system's theme.
}
