/** A long coding conversation with tools, written for the exam, and questions about it. */
export interface Story {
  id: string;
  /** Where the agent works. */
  folder: string;
  steps: Step[];
  questions: Question[];
}

export type Step =
  | { kind: "user"; text: string }
  | { kind: "agent"; text: string }
  | { kind: "call"; tool: string; input: Record<string, unknown>; result: string; failed: boolean };

export const questionKinds = ["wish", "state", "finding", "failure", "artefact", "decision"] as const;

export interface Question {
  id: string;
  kind: (typeof questionKinds)[number];
  question: string;
  gold: string;
}

export const user = (text: string): Step => ({ kind: "user", text });
export const agent = (text: string): Step => ({ kind: "agent", text });
const call = (tool: string, input: Record<string, unknown>, result: string, failed = false): Step => ({
  kind: "call",
  tool,
  input,
  result,
  failed,
});
export const bash = (command: string, result: string) => call("Bash", { command }, result);
/** A command that ends with an error. */
export const failing = (command: string, result: string) =>
  call("Bash", { command }, `Exit code 1\n${result}`, true);
export const grep = (pattern: string, result: string) => call("Grep", { pattern }, result);
export const edit = (path: string, before: string, after: string) =>
  call(
    "Edit",
    { file_path: path, old_string: before, new_string: after },
    `The file ${path} has been updated.`,
  );
export const write = (path: string, content: string) =>
  call("Write", { file_path: path, content }, `File created successfully at: ${path}`);

/** A file with numbered lines, as agents read it. */
export const read = (path: string, content: string) =>
  call(
    "Read",
    { file_path: path },
    content
      .split("\n")
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join("\n"),
  );

const statuses = { x: "completed", ">": "in_progress", " ": "pending" } as const;

/** The agent's to-do list, such as `todo("[x] Find the leak", "[>] Fix it", "[ ] Add a test")`. */
export const todo = (...items: `[${keyof typeof statuses}] ${string}`[]) =>
  call(
    "TodoWrite",
    {
      todos: items.map((item) => ({
        content: item.slice(4),
        status: statuses[item[1] as keyof typeof statuses],
        activeForm: item.slice(4),
      })),
    },
    "Todos have been modified successfully.",
  );
