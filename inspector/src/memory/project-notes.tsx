import { useState } from "preact/hooks";
import { isMissing } from "../api.ts";
import { useNow } from "../clock.ts";
import { plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { Markdown } from "../markdown-view.tsx";
import { Failure } from "../states.tsx";

/** The server does not watch the file, so poll it (milliseconds). */
const pollInterval = 15_000;

/** NOTES.md of the project that the server runs in, with the linter's findings. */
export function ProjectNotes() {
  const freshness = Math.floor(useNow() / pollInterval);
  const { data: health } = useLoad("health", {}, freshness);
  const { data, error, reload } = useLoad("project", health?.project ? {} : undefined, freshness);
  const [isOpen, setOpen] = useState(false);
  if (error && !isMissing(error)) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const { path, text, findings } = data;
  return (
    <section class="panel" aria-labelledby="title-project">
      <div class="panel-head">
        <h2 id="title-project">
          Project <span class="faint">{path}</span>
        </h2>
        <div class="panel-actions">
          <span class={`badge${findings.length > 0 ? " badge-warn" : ""}`}>
            {findings.length === 0 ? "no lint findings" : plural(findings.length, "lint finding")}
          </span>
          <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide the text" : "Show the text"}
          </button>
        </div>
      </div>
      <ul class="findings">
        {findings.map(({ rule, severity, line, message, canFix }) => (
          <li key={`${rule} ${line} ${message}`} class={`finding finding-${severity}`}>
            <span class="badge">{severity}</span>
            <span class="number faint">line {line}</span>
            <span>{message}</span>
            <span class="faint">
              {rule}
              {canFix && (
                <>
                  {" "}
                  · <code>holdfast project lint --fix</code> fixes it
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {isOpen && <Markdown text={text} />}
    </section>
  );
}
