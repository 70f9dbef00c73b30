import type { Escaping } from "../host.ts";

/** For hosts that escape angle brackets in injected text: the model would see `&lt;`. */
export const angleBrackets: Escaping = {
  escape: (text) => text.replaceAll("<", "‹").replaceAll(">", "›"),
  hint: "‹ and › stand for angle brackets.",
};
