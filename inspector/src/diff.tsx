import type { Reply } from "./api.ts";
import { plural } from "./format.ts";

type Change = Reply<"history">["entries"][number]["changes"][number];

const signs = { same: " ", added: "+", removed: "−", gap: "" };
const spoken = { same: "", added: "added: ", removed: "removed: ", gap: "" };

export function Diff({ change: { subject, key, kind, lines, cut } }: { change: Change }) {
  return (
    <div class="diff">
      <p class="diff-head">
        <span class="badge">{subject}</span>
        {key !== null && <bdi class="faint">{key.replace(/^0+(?=\d)/, "")}</bdi>}
        <span class="faint">{kind}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard */}
      <section class="diff-lines" aria-label={`What changed in ${subject}`} tabIndex={0}>
        {lines.map((line, index) => (
          <div key={index} class={`diff-line diff-${line.kind}`}>
            <span class="diff-sign" aria-hidden="true">
              {signs[line.kind]}
            </span>
            <span class="diff-text" dir="auto">
              {spoken[line.kind] !== "" && <span class="unseen">{spoken[line.kind]}</span>}
              {line.kind === "gap" ? `${plural(Number(line.text), "line")} unchanged` : line.text}
            </span>
          </div>
        ))}
      </section>
      {cut && <p class="faint">Truncated.</p>}
    </div>
  );
}
