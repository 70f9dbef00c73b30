import { join } from "node:path";
import { createDeepAgent, FilesystemBackend } from "deepagents";
import type { System } from "../survival/system.ts";
import {
  chatModel,
  checkpointerFor,
  langchainDurability,
  langchainTools,
  runningAgent,
} from "./langchain-agent.ts";

/**
 * createDeepAgent with its defaults: it summarizes at a share of the model's window and writes what it removes to a
 * file, which the agent can search and read. The files are in a folder, as its documentation shows for work that stays.
 */
export const system: System = {
  name: "deepagents",
  package: "deepagents",
  configuration:
    "createDeepAgent with its defaults, a model profile with the window, and FilesystemBackend; each note is a file",
  durability: langchainDurability,
  isDurable: true,
  note: (line) => ({ name: "write_file", input: { file_path: notePath(line), content: line } }),
  lookUp: (subject) => ({ name: "grep", input: { pattern: subject } }),
  async open(setting) {
    return runningAgent(
      createDeepAgent({
        model: chatModel(setting),
        tools: langchainTools(setting),
        systemPrompt: setting.instructions,
        backend: new FilesystemBackend({ rootDir: join(setting.directory, "files"), virtualMode: true }),
        checkpointer: await checkpointerFor(setting),
      }),
      setting,
    );
  },
};

/** Its tools write whole files, so each note is one. */
function notePath(text: string): string {
  return `/notes/${text.replaceAll(/\W+/g, "-").slice(0, 60)}.md`;
}
