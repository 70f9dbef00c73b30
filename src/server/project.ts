import { HoldfastError } from "../errors.ts";
import type { Reply } from "./api.ts";
import type { Handlers, Workshop } from "./handlers/handlers.ts";

/** The project's NOTES.md, read and linted anew each time it is asked for. */
export interface ProjectReader {
  exists(): Promise<boolean>;
  read(): Promise<Reply<"project"> | undefined>;
}

export function projectHandlers({ project }: Workshop): Pick<Handlers, "project"> {
  return {
    async project() {
      const notes = await project?.read();
      if (notes) return notes;
      throw new HoldfastError(
        "not_found",
        "There is no NOTES.md here. Start `holdfast serve` in a project that has one.",
      );
    },
  };
}
