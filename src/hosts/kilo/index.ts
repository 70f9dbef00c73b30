import { createPlugin } from "../opencode-family/plugin.ts";

/**
 * The Kilo Code plugin.
 *
 * @example
 * // .kilo/plugin/holdfast.js
 * export { default } from "holdfast/kilo";
 */
export default createPlugin("kilo");
