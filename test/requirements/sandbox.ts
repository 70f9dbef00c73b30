import { from } from "./requirement.ts";

export const sandbox = from("sandbox", {});
