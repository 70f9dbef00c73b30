import { partNames, parts } from "../parts.ts";

export function Legend() {
  return (
    <ul class="legend" aria-label="Parts of the window">
      {[...parts, "free" as const].map((part) => (
        <li key={part}>
          <span class={`swatch part-${part}`} aria-hidden="true" />
          {partNames[part]}
        </li>
      ))}
    </ul>
  );
}
