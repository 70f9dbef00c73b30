import { HoldfastError } from "../errors.ts";
import type { Reply } from "./api.ts";
import type { Handlers, ServerContext } from "./handlers/handlers.ts";

/** The project's NOTES.md, read and linted on every request. */
export interface ProjectReader {
  exists(): Promise<boolean>;
  read(): Promise<Reply<"project"> | undefined>;
}

export function projectHandlers({ project }: ServerContext): Pick<Handlers, "project"> {
  return {
    async project() {
      const notes = await project?.read();
      if (notes) return notes;
      throw new HoldfastError(
        "not_found",
        "No NOTES.md found. Start `holdfast serve` in a project that has one.",
      );
    },
  };
}
