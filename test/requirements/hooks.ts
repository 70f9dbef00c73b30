import { from } from "./requirement.ts";

export const hooks = from("hooks", {});
