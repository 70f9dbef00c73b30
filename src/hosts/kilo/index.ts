import { createPlugin } from "../opencode-family/plugin.ts";

/**
 * The Kilo Code plug-in.
 *
 * @example
 * // .kilo/plugin/holdfast.js
 * export { default } from "holdfast/kilo";
 */
export default createPlugin("kilo");
