import { useState } from "preact/hooks";
import type { Reply } from "../api.ts";
import { takeFocus } from "../focus.ts";

interface NoteText {
  content: string;
  tags: string[];
}

interface NoteFormProps {
  label: string;
  start: NoteText;
  limits: Reply<"memory">["limits"];
  save: (note: NoteText) => void;
  cancel: () => void;
}

export function NoteForm({ label, start, limits, save, cancel }: NoteFormProps) {
  const [content, setContent] = useState(start.content);
  const [tags, setTags] = useState(start.tags.join(", "));
  const submit = () => {
    if (content.trim() !== "") save({ content, tags: tagsOf(tags) });
  };
  return (
    <form
      class="editor note-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") cancel();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      <textarea
        class="input"
        rows={4}
        dir="auto"
        aria-label={label}
        ref={takeFocus}
        value={content}
        onInput={(event) => setContent(event.currentTarget.value)}
      />
      <div class="editor-foot">
        <input
          class="input note-tags"
          dir="auto"
          placeholder="tags, comma-separated"
          aria-label={`Tags of the ${label.toLowerCase()}, comma-separated, max ${limits.noteTags}`}
          value={tags}
          onInput={(event) => setTags(event.currentTarget.value)}
        />
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="submit" class="button button-primary" disabled={content.trim() === ""}>
          Save
        </button>
      </div>
    </form>
  );
}

function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
