import { HoldfastError } from "../errors.ts";
import { claudeCode } from "./claude-code/host.ts";
import { codex } from "./codex/host.ts";
import { copilot } from "./copilot/host.ts";
import { cursor } from "./cursor/host.ts";
import { gemini } from "./gemini/host.ts";
import type { Host } from "./host.ts";
import { kilo } from "./kilo/host.ts";
import { openclaw } from "./openclaw/host.ts";
import { opencode } from "./opencode/host.ts";
import { pi } from "./pi/host.ts";
import { qwen } from "./qwen/host.ts";

/** All hosts. To add one, add a folder and an entry here. */
export const hosts: readonly Host[] = [
  claudeCode,
  codex,
  copilot,
  opencode,
  kilo,
  gemini,
  qwen,
  pi,
  openclaw,
  cursor,
];

export const hostNames: readonly string[] = hosts.map(({ name }) => name);

export function findHost(name: string): Host | undefined {
  return hosts.find((host) => host.name === name);
}

export function hostNamed(name: string): Host {
  const host = findHost(name);
  if (host) return host;
  throw new HoldfastError(
    "invalid_input",
    `There is no host ${JSON.stringify(name)}. The hosts are ${hostNames.join(", ")}.`,
    { data: { given: name, known: hostNames } },
  );
}

/** The hosts with these names, in the order of `hosts`. */
export function hostsNamed(names: readonly string[]): Host[] {
  const named = new Set(names.map(hostNamed));
  return hosts.filter((host) => named.has(host));
}

/** The host of a session, by its id; undefined for a session of no host. */
export function hostOfSession(sessionId: string): Host | undefined {
  return hosts.find(({ name }) => sessionId.startsWith(`${name}.`));
}
