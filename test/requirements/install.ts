import { from } from "./requirement.ts";

export const install = from("init, uninstall, doctor", {});
