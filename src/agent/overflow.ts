import { isObject } from "../engine/json.ts";

/** Whether a provider rejected a call because the prompt was too long. */
export function isOverflow(error: unknown): boolean {
  const seen = new Set<unknown>();
  // A provider's error in mid-stream is plain data.
  for (let at = error; isObject(at) && !seen.has(at); at = at.cause ?? at.lastError) {
    seen.add(at);
    const { message = "", responseBody = "", data, statusCode } = at;
    const said =
      at instanceof Error ? `${message} ${responseBody} ${JSON.stringify(data) ?? ""}` : JSON.stringify(at);
    // Rate limit errors mention tokens too, but they call for waiting, not for a shorter prompt.
    if (statusCode !== 429 && overflowWords.test(said)) return true;
  }
  return false;
}

/** What providers and local servers say. */
const overflowWords =
  /context[_ ]length[_ ]exceeded|maximum (?:context|prompt)|context (?:window|length|size|limit)|(?:prompt|input) (?:is )?too long|too many (?:input )?tokens|exceeds? the (?:model|maximum|context)|input token count|request too large|token limit/i;
