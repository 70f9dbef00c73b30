import { HoldfastError } from "../../errors.ts";

/** Where a Postgres store is, and how to talk to it. */
export interface ServerAddress {
  /** One URL per host, in the order to try them. */
  hosts: string[];
  /** Only a host that accepts writes is used. */
  needsPrimary: boolean;
  /** A pooler gives each transaction another server connection: no session settings, no prepared statements. */
  pooled: boolean;
  /** LISTEN on this server instead: a direct connection beside a pooler. */
  listen?: ServerAddress;
}

/** Our own parameters; `pg` would pass unknown ones to the server. */
const ownParameters = ["target_session_attrs", "pooler", "listen"];

/**
 * Parses `postgres://user:password@host:port[,host:port…]/database`, with
 * `?target_session_attrs=read-write|primary|any`, `?pooler=transaction|session` and `?listen=URL` (encoded).
 */
export function parseServerAddress(url: string): ServerAddress {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  if (!parts) throw refused(url, "it is not postgres://user:password@host:port/database");
  const [, scheme = "", credentials = "", hosts = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const given = Object.fromEntries(ownParameters.map((name) => [name, parameters.get(name)]));
  for (const name of ownParameters) parameters.delete(name);
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  const names = hosts.split(",");
  if (names.length > 1 && names.includes("")) throw refused(url, "it has an empty host in its list");
  const attributes = choice(url, "target_session_attrs", given.target_session_attrs, [
    "read-write",
    "primary",
    "any",
  ]);
  const pooler = choice(url, "pooler", given.pooler, ["transaction", "session"]);
  return {
    hosts: names.map((host) => `${scheme}${credentials}${host}${path}${rest}`),
    needsPrimary: attributes === undefined ? names.length > 1 : attributes !== "any",
    pooled: pooler === "transaction",
    ...(given.listen ? { listen: parseServerAddress(given.listen) } : {}),
  };
}

function choice<Value extends string>(
  url: string,
  name: string,
  value: string | null | undefined,
  allowed: readonly Value[],
): Value | undefined {
  if (value === null || value === undefined) return undefined;
  const found = allowed.find((each) => each === value);
  if (found) return found;
  const why = `${name}=${value} is not supported, because a memory needs a server that accepts writes`;
  throw refused(url, `${name === "pooler" ? `pooler=${value} is unknown` : why}; use ${allowed.join(", ")}`);
}

/** The message does not repeat the URL, which contains a password. */
function refused(url: string, why: string): HoldfastError {
  return new HoldfastError("invalid_input", `This Postgres URL cannot be used: ${why}.`, {
    data: { store: url.replace(/:[^:@/]*@/, ":…@") },
  });
}
