import { statfsSync } from "node:fs";

/** Types of Linux file systems whose answers come over a network or from another program, and may never come. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, // nfs
  0x517b, // smb
  0xff534d42, // cifs
  0xfe534d42, // smb2
  0x65735546, // fuse: sshfs, a virtual machine's shared folders
  0x01021997, // 9p
  0x00c36400, // ceph
  0x5346414f, // afs
  0x0bd00bd0, // lustre
  0x73757245, // coda
  0x47504653, // gpfs
]);

/** Whether reading there may block for as long as a server does not answer. False if that cannot be found out. */
export function isRemote(directory: string, readType: (path: string) => number = typeOf): boolean {
  if (process.platform !== "linux") return false;
  try {
    return remoteTypes.has(readType(directory));
  } catch {
    return false;
  }
}

function typeOf(path: string): number {
  return statfsSync(path).type;
}
