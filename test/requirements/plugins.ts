import { from } from "./requirement.ts";

export const plugins = from("plug-ins of the hosts", {});
