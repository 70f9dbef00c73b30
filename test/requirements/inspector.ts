import { from } from "./requirement.ts";

export const inspector = from("inspector", {});
