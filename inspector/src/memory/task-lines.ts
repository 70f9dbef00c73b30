/** A checkbox of a text and its line. */
export interface TaskLine {
  /** Counted from 0. */
  line: number;
  done: boolean;
  text: string;
}

const task = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(\]\s+)(.*)$/s;

/** The checkboxes of a Markdown text, in order, without those in code blocks. */
export function taskLines(text: string): TaskLine[] {
  let fence = "";
  return text.split("\n").flatMap((source, line) => {
    const [, marker = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(source) ?? [];
    if (marker !== "" && (fence === "" || source.trim().startsWith(fence))) {
      fence = fence === "" ? marker : "";
      return [];
    }
    const [, , box, , rest = ""] = (fence === "" && task.exec(source)) || [];
    return box === undefined ? [] : [{ line, done: box !== " ", text: rest.trim() }];
  });
}

/** The text with one checkbox toggled. */
export function toggleTaskLine(text: string, { line, done }: TaskLine): string {
  const lines = text.split("\n");
  lines[line] = (lines[line] ?? "").replace(task, `$1${done ? " " : "x"}$3$4`);
  return lines.join("\n");
}
