import { from } from "./requirement.ts";

export const knowledge = from("knowledge layers", {});
