import { spawnSync } from "node:child_process";
import { temporaryDirectory } from "./temporary.ts";

const unshare = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--mount"];

/** A command prefix that makes the directory read-only. */
export function readOnlyPlace(directory: string): string[] {
  return [
    ...unshare,
    "sh",
    "-c",
    `mount --bind "${directory}" "${directory}" && mount -o remount,bind,ro "${directory}" && exec "$@"`,
    "sh",
  ];
}

/** A command prefix that mounts a small disk at the directory. */
export function smallDisk(directory: string, kilobytes: number): string[] {
  return [
    ...unshare,
    "sh",
    "-c",
    `mount -t tmpfs -o size=${kilobytes}k,mode=700 none "${directory}" && exec "$@"`,
    "sh",
  ];
}

/** Why mount namespaces are unavailable here; false when available. */
export function noMounts(): string | false {
  const [command = "", ...rest] = smallDisk(temporaryDirectory(), 64);
  const { status, stderr, error } = spawnSync(command, [...rest, "true"], { encoding: "utf8" });
  return status === 0 ? false : `no mount namespaces here: ${error?.message ?? stderr.trim()}`;
}

/** A command prefix that runs as a user who owns nothing. */
export function asNobody(): string[] {
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
}

/** Why another user is unavailable here; false when available. */
export function noOtherUser(): string | false {
  const [command = "", ...rest] = asNobody();
  const { status, stderr, error } = spawnSync(command, [...rest, process.execPath, "-e", "0"], {
    encoding: "utf8",
  });
  return status === 0 ? false : `cannot run as another user here: ${error?.message ?? stderr.trim()}`;
}
