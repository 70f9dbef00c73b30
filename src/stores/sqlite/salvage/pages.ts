import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** The raw pages of a SQLite file, including newer versions from its write-ahead log. */
export interface SqlitePages {
  readonly count: number;
  /** Usable bytes per page. */
  readonly usable: number;
  /** Pages on the freelist; they still contain old content. */
  readonly free: ReadonlySet<number>;
  page(number: number): DataView | undefined;
  close(): void;
}

const defaultPageSize = 4_096;

/** Opens a file read-only without SQLite, so that damage cannot prevent it. */
export function openPages(path: string): SqlitePages {
  const file = openSync(path, "r");
  const read = (from: number, length: number): DataView | undefined => {
    const bytes = new Uint8Array(length);
    return readSync(file, bytes, 0, length, from) === length ? new DataView(bytes.buffer) : undefined;
  };
  const log = readLog(`${path}-wal`);
  const header = log.pages.get(1) ?? read(0, 100);
  const intact = header !== undefined && header.getUint32(0) === 0x53514c69;
  const size = log.pageSize ?? pageSizeIn(intact ? header : undefined);
  const count = Math.max(Math.floor(fstatSync(file).size / size), ...log.pages.keys(), 0);
  const page = (number: number) =>
    number >= 1 && number <= count ? (log.pages.get(number) ?? read((number - 1) * size, size)) : undefined;
  return {
    count,
    usable: size - (intact ? header.getUint8(20) : 0),
    free: intact ? freePages(header.getUint32(32), count, page) : new Set(),
    page,
    close: () => closeSync(file),
  };
}

function pageSizeIn(header: DataView | undefined): number {
  const size = header?.getUint16(16) ?? defaultPageSize;
  if (size === 1) return 65_536;
  return size >= 512 && (size & (size - 1)) === 0 ? size : defaultPageSize;
}

function freePages(first: number, count: number, page: SqlitePages["page"]): Set<number> {
  const free = new Set<number>();
  for (let trunk = first; trunk !== 0 && trunk <= count && !free.has(trunk); ) {
    free.add(trunk);
    const view = page(trunk);
    if (!view) break;
    const leaves = Math.min(view.getUint32(4), view.byteLength / 4 - 2);
    for (let leaf = 0; leaf < leaves; leaf++) free.add(view.getUint32(8 + 4 * leaf));
    trunk = view.getUint32(0);
  }
  return free;
}

interface Log {
  pageSize: number | undefined;
  pages: Map<number, DataView>;
}

const logHeader = 32;
const frameHeader = 24;

/** The newest committed version of each page in a write-ahead log. Stops at the first wrong checksum. */
function readLog(path: string): Log {
  const none: Log = { pageSize: undefined, pages: new Map() };
  if (!existsSync(path)) return none;
  const bytes = readFileSync(path);
  if (bytes.length < logHeader) return none;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const magic = view.getUint32(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return none;
  const little = magic === 0x377f0682;
  const pageSize = view.getUint32(8);
  let sum = checksum(view, 0, 24, [0, 0], little);
  if (!isSum(view, 24, sum)) return none;
  const pages = new Map<number, DataView>();
  let pending = new Map<number, DataView>();
  const length = frameHeader + pageSize;
  for (let at = logHeader; at + length <= bytes.length; at += length) {
    const sameLog =
      view.getUint32(at + 8) === view.getUint32(16) && view.getUint32(at + 12) === view.getUint32(20);
    sum = checksum(view, at + frameHeader, pageSize, checksum(view, at, 8, sum, little), little);
    if (!sameLog || !isSum(view, at + 16, sum)) break;
    pending.set(
      view.getUint32(at),
      new DataView(bytes.buffer, bytes.byteOffset + at + frameHeader, pageSize),
    );
    if (view.getUint32(at + 4) === 0) continue;
    for (const [number, page] of pending) pages.set(number, page);
    pending = new Map();
  }
  return { pageSize, pages };
}

type Sum = [number, number];

function checksum(view: DataView, from: number, length: number, [one, two]: Sum, little: boolean): Sum {
  let [first, second] = [one, two];
  for (let at = from; at < from + length; at += 8) {
    first = (first + view.getUint32(at, little) + second) >>> 0;
    second = (second + view.getUint32(at + 4, little) + first) >>> 0;
  }
  return [first, second];
}

function isSum(view: DataView, at: number, [one, two]: Sum): boolean {
  return view.getUint32(at) === one && view.getUint32(at + 4) === two;
}
