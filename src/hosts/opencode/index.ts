import { createPlugin } from "../opencode-family/plugin.ts";

/**
 * The opencode plugin.
 *
 * @example
 * // .opencode/plugin/holdfast.js
 * export { default } from "holdfast/opencode";
 */
export default createPlugin("opencode");
