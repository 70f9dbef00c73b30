import type { Reply } from "./api.ts";

type ActorInfo = Reply<"journal">["entries"][number]["actor"];

const names: Record<ActorInfo["kind"], string> = {
  agent: "Agent",
  person: "Person",
  "sub-session": "Sub-session",
  import: "Import",
  system: "Holdfast",
};

/** The author of a change, with the same colour and name everywhere. */
export function Actor({ actor }: { actor: ActorInfo }) {
  return (
    <span class={`actor actor-${actor.kind}`}>
      <span class="actor-dot" aria-hidden="true" />
      <bdi>{actor.name ?? names[actor.kind]}</bdi>
    </span>
  );
}
