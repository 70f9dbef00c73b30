import { from } from "./requirement.ts";

export const server = from("serve", {});
