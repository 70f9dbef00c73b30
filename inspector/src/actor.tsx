import type { Reply } from "./api.ts";

type Who = Reply<"journal">["entries"][number]["actor"];

const names: Record<Who["kind"], string> = {
  agent: "Agent",
  person: "Person",
  "sub-session": "Sub-session",
  import: "Import",
  system: "Holdfast",
};

/** Who wrote something; always with the same colour and word. */
export function Actor({ actor }: { actor: Who }) {
  return (
    <span class={`actor actor-${actor.kind}`}>
      <span class="actor-dot" aria-hidden="true" />
      <bdi>{actor.name ?? names[actor.kind]}</bdi>
    </span>
  );
}
