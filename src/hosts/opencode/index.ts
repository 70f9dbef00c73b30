import { createPlugin } from "../opencode-family/plugin.ts";

/**
 * The opencode plug-in.
 *
 * @example
 * // .opencode/plugin/holdfast.js
 * export { default } from "holdfast/opencode";
 */
export default createPlugin("opencode");
