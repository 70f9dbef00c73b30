import { from } from "./requirement.ts";

export const people = from("commands for people", {});
