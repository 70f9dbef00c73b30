import { spawnSync } from "node:child_process";
import { temporaryDirectory } from "./temporary.ts";

const unshare = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--mount"];

/** Runs a program where the directory cannot be written to. */
export function readOnlyPlace(directory: string): string[] {
  return [
    ...unshare,
    "sh",
    "-c",
    `mount --bind "${directory}" "${directory}" && mount -o remount,bind,ro "${directory}" && exec "$@"`,
    "sh",
  ];
}

/** Runs a program where the directory is a disk of its own, of so many kilobytes. */
export function smallDisk(directory: string, kilobytes: number): string[] {
  return [
    ...unshare,
    "sh",
    "-c",
    `mount -t tmpfs -o size=${kilobytes}k,mode=700 none "${directory}" && exec "$@"`,
    "sh",
  ];
}

/** Why mounts of our own cannot be had here; false when they can. */
export function noMounts(): string | false {
  const [command = "", ...rest] = smallDisk(temporaryDirectory(), 64);
  const { status, stderr, error } = spawnSync(command, [...rest, "true"], { encoding: "utf8" });
  return status === 0 ? false : `no mount namespaces here: ${error?.message ?? stderr.trim()}`;
}

/** Runs a program as a user who owns nothing. */
export function asNobody(): string[] {
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
}

/** Why there is nobody else to be here; false when there is. */
export function noOtherUser(): string | false {
  const [command = "", ...rest] = asNobody();
  const { status, stderr, error } = spawnSync(command, [...rest, process.execPath, "-e", "0"], {
    encoding: "utf8",
  });
  return status === 0 ? false : `no other user can be taken on here: ${error?.message ?? stderr.trim()}`;
}
