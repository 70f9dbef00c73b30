import { from } from "./requirement.ts";

export const project = from("notes-md-protocol", {});
