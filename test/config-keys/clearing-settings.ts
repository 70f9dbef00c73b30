import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, filler } from "../support/agent.ts";
import { type ChatEvidence, chatRun } from "./chat-run.ts";
import type { Scenario } from "./run.ts";

const files = Array.from({ length: 24 }, (_, index) => `${index}.txt`);

/** Without the setting, old and long results are cleared. */
export const clearingSettings: Scenario = {
  name: "clearing",
  entries: ["chat"],
  base: { surfaces: ["notepad", "results"], contextWindow: 200_000 },
  cases: () => ({
    clearing: {
      value: false,
      seen: (run) => !(run as ChatEvidence).events.some(({ type }) => type === "clearing"),
    },
  }),
  run(_entry, root) {
    for (const name of files) writeFileSync(join(root, name), `${filler(6_000)}\nneedle ${name}\n`);
    return chatRun(root, {
      script: (_request, number) => {
        const path = files[number];
        return path ? { toolCalls: [call("read_file", { path }, path)] } : { text: "Read." };
      },
      input: ["Read them.", "Go on."],
    });
  },
};
